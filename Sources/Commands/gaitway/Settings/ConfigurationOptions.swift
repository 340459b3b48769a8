import ArgumentParser
import Settings
import Support

/// Where the configuration is.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "With conf.d/*.toml beside it. Without this option: $GAITWAY_CONFIG, else \(Settings.defaultPath).",
            valueName: "file"), completion: .file())
    var config: String?

    func load() throws(Fault) -> Settings { try Settings(path: config) }
}

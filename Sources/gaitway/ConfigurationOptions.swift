import Agent
import ArgumentParser
import Support

/// Where the configuration is.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "The configuration file.", discussion: "With conf.d/*.toml beside it. Without this option: $GAITWAY_CONFIG, else \(Configuration.defaultPath).", valueName: "file"))
    var config: String?

    func load() throws(Fault) -> Configuration { try Configuration(path: config) }
}

import Agent
import ArgumentParser
import Support

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The configuration in force.", subcommands: [Show.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every setting, its value and where that came from.",
            discussion: "Defaults < /etc/gaitway/gaitway.toml < /etc/gaitway/conf.d/*.toml < GAITWAY_* variables < flags.")

        @OptionGroup var place: ConfigurationOptions
        @OptionGroup var format: OutputOptions

        func run() throws {
            let configuration = try place.load(), width = Setting.all.map { (setting: Setting) in setting.key.count }.max() ?? 0
            for setting in Setting.all {
                let value = configuration[setting]
                try Console.print(format.json ? json(setting, value).text : text(setting, value, width))
            }
        }

        private func text(_ setting: Setting, _ value: Configuration.Value?, _ width: Int) -> String {
            let origin = value.map { "(\($0.origin))" } ?? "(not set)"
            return "\(setting.key.padded(width)) \((value?.text ?? "-").padded(24)) \(Console.styled(origin, .dim))  # \(setting.help)"
        }

        private func json(_ setting: Setting, _ value: Configuration.Value?) -> JSON {
            .object([
                ("key", .string(setting.key)), ("value", value.map { .string($0.text) } ?? .null),
                ("origin", value.map { .string("\($0.origin)") } ?? .null), ("variable", .string(setting.variable)),
            ])
        }
    }
}

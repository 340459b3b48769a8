import ArgumentParser
import Settings
import Support

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The configuration in force.", subcommands: [Show.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every setting, its value and where that came from.",
            discussion: "Defaults < /etc/gaitway/gaitway.toml < /etc/gaitway/conf.d/*.toml < GAITWAY_* variables < flags.")

        @OptionGroup var place: ConfigurationOptions
        @OptionGroup var format: OutputOptions

        func run() throws {
            let settings = try place.load(), width = Settings.table.map { (setting: any AnySetting) in setting.name.count }.max() ?? 0
            for setting in Settings.table {
                let entry = settings.entry(setting)
                try Console.print(format.json ? json(setting, entry).text : text(setting, entry, width))
            }
        }

        private func text(_ setting: any AnySetting, _ entry: Settings.Entry?, _ width: Int) -> String {
            let origin = entry.map { "(\($0.origin))" } ?? "(not set)"
            return "\(setting.name.padded(width)) \((entry?.text ?? "-").padded(24)) \(Console.styled(origin, .dim))  # \(setting.help)"
        }

        private func json(_ setting: any AnySetting, _ entry: Settings.Entry?) -> JSON {
            .object([
                ("key", .string(setting.name)), ("value", entry.map { .string($0.text) } ?? .null),
                ("origin", entry.map { .string("\($0.origin)") } ?? .null), ("variable", .string(setting.variable)),
            ])
        }
    }
}

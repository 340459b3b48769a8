import ArgumentParser
import Settings
import Support

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "The configuration in force.", subcommands: [Show.self, Explain.self], defaultSubcommand: Show.self
    )

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print every setting, its value and where that came from.",
            discussion: "Defaults < /etc/gaitway/gaitway.toml < /etc/gaitway/conf.d/*.toml < GAITWAY_* variables < flags.")

        @OptionGroup var place: ConfigurationOptions
        @OptionGroup var format: OutputOptions

        func run() throws {
            let settings = try place.load(), width = Settings.table.map { (setting: any AnySetting) in setting.name.count }.max() ?? 0
            for setting in Settings.table {
                let entry = settings.entry(setting)
                try Console.print(format.json ? json(setting, entry).text : text(setting, entry, width))
            }
            for (variable, meant) in Settings.misspelt { Console.note("gaitway: \(variable) is no setting; is \(meant) meant?") }
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

    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain", abstract: "Print every setting with its default and what it means.",
            discussion: "A dash stands where the program decides, or where nothing is used.")

        @OptionGroup var format: OutputOptions
        @Flag(help: "Print the manual page gaitway.toml(5) instead.") var man = false

        func run() throws {
            if man { return try Console.print(ManualText.settings(Settings.table)) }
            let table = Settings.table, name = table.map { (setting: any AnySetting) in setting.name.count }.max() ?? 0
            let width = table.map { (setting: any AnySetting) in fallback(setting).count }.max() ?? 0
            for setting in table {
                let text = "\(setting.name.padded(name))  \(fallback(setting).padded(width))  \(setting.help)"
                try Console.print(format.json ? json(setting).text : text)
            }
        }

        private func fallback(_ setting: any AnySetting) -> String {
            setting.fallback.map { setting.unit.isEmpty ? $0 : "\($0) \(setting.unit)" } ?? "-"
        }

        private func json(_ setting: any AnySetting) -> JSON {
            .object([
                ("key", .string(setting.name)), ("default", setting.fallback.map(JSON.string) ?? .null), ("unit", .string(setting.unit)),
                ("expects", .string(setting.expectation)), ("help", .string(setting.help)), ("variable", .string(setting.variable)),
            ])
        }
    }
}

import ArgumentParser
import Glibc
import Runtime
import Settings
import Support

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at everything that the loop needs, and say what mends it.",
        discussion: "Exit code 0 when `gaitway run` could start; else that of the first problem.")

    @Option(help: ArgumentHelp("Where samples would come from.", valueName: "source"))
    var source: String?
    @OptionGroup var model: ModelOptions
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        let found = settings()
        let findings = Examination.examine(settings: found) { settings throws(Fault) in try model.load(settings) }
        for finding in findings { try Console.print(format.json ? json(finding).text : text(finding)) }
        if let problem = findings.first(where: { $0.level == .problem }) { Glibc.exit(problem.code.rawValue) }
    }

    private func settings() -> Result<Settings, Fault> {
        do throws(Fault) {
            var settings = try place.load()
            try settings.override(\.source, source)
            return .success(settings)
        } catch {
            return .failure(error)
        }
    }

    private func text(_ finding: Finding) -> String {
        let style: Console.Style =
            switch finding.level {
            case .ok: .green
            case .warning: .yellow
            case .problem: .red
            }
        let line = "\(Console.styled(finding.level.rawValue.padded(8), style)) \(finding.topic.padded(14)) \(finding.message)"
        return finding.remedy.map { "\(line)\n\("".padded(24))\($0)" } ?? line
    }

    private func json(_ finding: Finding) -> JSON {
        .object([
            ("topic", .string(finding.topic)), ("level", .string(finding.level.rawValue)), ("message", .string(finding.message)),
            ("remedy", finding.remedy.map(JSON.string) ?? .null),
        ])
    }
}

import Agent
import ArgumentParser
import Glibc
import Support

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at everything that the loop needs, and say what mends it.",
        discussion: "Exit code 0 when `gaitway run` could start; else that of the first problem.")

    @Option(help: ArgumentHelp("Where samples would come from.", valueName: "source"))
    var source: String?
    @OptionGroup var model: ModelOptions
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        let settings = settings()
        var findings = Agent.Doctor.examine(configuration: settings) { configuration throws(Fault) in try model.load(configuration) }
        if case .success(let configuration) = settings { findings.append(UploadCheck.examine(configuration)) }
        for finding in findings { try Console.print(format.json ? json(finding).text : text(finding)) }
        if let problem = findings.first(where: { $0.level == .problem }) { Glibc.exit(problem.code.rawValue) }
    }

    private func settings() -> Result<Configuration, Fault> {
        do throws(Fault) {
            var configuration = try place.load()
            try configuration.override(.source, source)
            return .success(configuration)
        } catch {
            return .failure(error)
        }
    }

    private func text(_ finding: Finding) -> String {
        let style: Console.Style = switch finding.level {
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

import ArgumentParser
import Crowd
import CrowdModels
import Logging
import Settings
import Support

struct CrowdParticipate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participate", abstract: "Send a gradient now and then, as crowd.* in the configuration says.",
        discussion: """
            With crowd.enabled gaitway run starts it beside itself. It prints what it does as a line of JSON whenever that changes, and \
            goes on until it is stopped.
            """)

    @Flag(help: "End when standard input does.")
    var untilInputEnds = false
    @OptionGroup var place: ConfigurationOptions

    func run() throws {
        ProcessPriority.yield()
        let settings = try place.load(), stop = Interruption.watch(hangUpStops: true)
        if untilInputEnds { Interruption.stopWithInput() }
        let log = Logger(label: "gaitway") { _ in ConsoleLog(level: settings.logLevel.rawValue) }
        // Where nobody reads it any more, its input ends, too.
        let report: @Sendable (JSONValue) -> Void = { try? Console.print(String(decoding: $0.bytes, as: UTF8.self)) }
        let participation: CrowdParticipation
        do throws(Fault) {
            participation = try CrowdParticipation(settings, samples: { OwnSamples.from($0) }, stop: stop, log: log, report: report)
        } catch {
            report(.members([("doing", .string("the board does not learn with others: \(error)"))]))
            throw error
        }
        // It has said why it ends.
        do throws(Fault) { try participation.run() } catch { throw ExitCode(error.code.rawValue) }
    }
}

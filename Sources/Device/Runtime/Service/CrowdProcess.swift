package import Logging
internal import ServiceLifecycle
internal import Subprocess
package import Support
internal import Synchronization
internal import SystemPackage

/// The crowd's participant, `gaitway crowd participate`, as a process of its own: nothing that happens there stops a decision.
///
/// It ends with this process, whichever way this one ends: its standard input does.
package final class CrowdProcess: Service {
    private struct State {
        var status = CrowdProcess.only("it has just begun")
        var work: Task<Void, Never>?
        var hasEnded = false
    }

    // The longest wait between two starts of what ends by itself, s.
    private static let mostWait = 3600.0
    // What ran for so long did not fail at once, s.
    private static let settles = 600.0

    private let program: String
    private let arguments: [String]
    private let leastWait: Double
    private let log: Logger
    private let state = Mutex(State())

    /// - Parameter configuration: the file that the command line names.
    package convenience init(configuration: String?, log: Logger) {
        self.init(
            Programs.own, ["crowd", "participate", "--until-input-ends"] + (configuration.map { ["--config", $0] } ?? []), log: log)
    }

    /// - Parameter leastWait: s, before what has ended is started again for the first time.
    init(_ program: String, _ arguments: [String], leastWait: Double = 5, log: Logger) {
        (self.program, self.arguments, self.leastWait, self.log) = (program, arguments, leastWait, log)
    }

    /// For `gaitway status`: what the participant said last.
    package var status: JSONValue { state.withLock { $0.status } }

    package func run() async {
        let work = state.withLock { state -> Task<Void, Never>? in
            guard !state.hasEnded else { return nil }
            state.work = Task { await supervise() }
            return state.work
        }
        await withGracefulShutdownHandler {
            await work?.value
        } onGracefulShutdown: {
            work?.cancel()
        }
    }

    /// The board takes no part any more until the program starts anew.
    func end() {
        let work = state.withLock { state in
            (state.hasEnded, state.status) = (true, Self.only("the board has left its hub"))
            return state.work
        }
        work?.cancel()
    }

    private func supervise() async {
        var backOff = BackOff(base: leastWait, cap: Self.mostWait, jitter: .proportional(0.1)), fault = RepeatedFault()
        while !Task.isCancelled {
            let began = SystemTime.uptime, end = await participate()
            guard !Task.isCancelled, let end else { return }
            if SystemTime.uptime - began > Self.settles { backOff.reset() }
            let text = "what learns with others ended (\(end)) and is started again"
            if fault.isNew(text) { log.warning("\(text)") }
            note(Self.only(text))
            try? await Task.sleep(for: .seconds(backOff.next()))
        }
    }

    // How it ended; nil where people have to mend something first, which it has said itself.
    private func participate() async -> String? {
        var options = PlatformOptions()
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: .seconds(2))]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(arguments), environment: Self.environment,
                platformOptions: options, input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { execution in
                for try await line in execution.standardOutput.strings() {
                    guard let status = JSONValue(parsing: Array(line.utf8)), status["doing"]?.text != nil else { continue }
                    note(status)
                }
            }
            if case .exited(let code) = result.terminationStatus, let fault = Fault.Code(rawValue: Int32(code)), fault.isForPeople {
                return nil
            }
            return "\(result.terminationStatus)"
        } catch {
            return "\(error)"
        }
    }

    private func note(_ status: JSONValue) {
        state.withLock { state in if !state.hasEnded { state.status = status } }
    }

    // The service manager waits for the loop alone.
    private static var environment: Environment {
        let without: [Environment.Key: String?] = ["NOTIFY_SOCKET": nil]
        return .inherit.updating(without)
    }

    private static func only(_ doing: String) -> JSONValue { .members([("doing", .string(doing))]) }
}

extension Fault.Code {
    // As the unit's RestartPreventExitStatus.
    fileprivate var isForPeople: Bool { [.usage, .badData, .noInput, .permission, .configuration].contains(self) }
}

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
    static let mostWait = 3600.0
    // What ran for so long did not fail at once, s.
    private static let settles = 600.0

    private let program: String
    private let arguments: [String]
    private let leastWait: Double, mendWait: Double
    private let log: Logger
    private let state = Mutex(State())

    /// - Parameter configuration: the file that the command line names.
    package convenience init(configuration: String?, log: Logger) {
        self.init(
            Programs.own, ["crowd", "participate", "--until-input-ends"] + (configuration.map { ["--config", $0] } ?? []), log: log)
    }

    /// - Parameters:
    ///   - leastWait: s, before what has ended is started again for the first time.
    ///   - mendWait: s, before what people have to mend is tried again.
    init(_ program: String, _ arguments: [String], leastWait: Double = 5, mendWait: Double = mostWait, log: Logger) {
        (self.program, self.arguments, self.log) = (program, arguments, log)
        (self.leastWait, self.mendWait) = (leastWait, mendWait)
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
            (state.hasEnded, state.status) = (true, Self.replacing(state.status, "the board has left its hub"))
            return state.work
        }
        work?.cancel()
    }

    /// How the participant's process ended.
    private enum End: Equatable {
        /// It has said why; whether people have to mend something.
        case explained(isForPeople: Bool)
        case died(String)
    }

    private func supervise() async {
        var backOff = BackOff(base: leastWait, cap: Self.mostWait, jitter: .proportional(0.1)), fault = RepeatedFault()
        while !Task.isCancelled {
            let began = SystemTime.uptime, end = await participate()
            guard !Task.isCancelled else { return }
            if SystemTime.uptime - began > Self.settles { backOff.reset() }
            var wait = backOff.next()
            switch end {
            // What one server said once is not for ever.
            case .explained(isForPeople: true): wait = mendWait
            case .explained: break
            case .died(let how):
                let text = "what learns with others ended (\(how)) and is started again"
                if fault.isNew(text) { log.warning("\(text)") }
                note(doing: text)
            }
            try? await Task.sleep(for: .seconds(wait))
        }
    }

    private func participate() async -> End {
        var options = PlatformOptions()
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: .seconds(2))]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(arguments), environment: Self.environment,
                platformOptions: options, input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { execution in
                for try await line in execution.standardOutput.strings(separatedBy: .unicodeScalarSequence(["\n"])) {
                    guard let status = JSONValue(parsing: Array(line.utf8)), status["doing"]?.text != nil else { continue }
                    note(status)
                }
            }
            switch result.terminationStatus {
            case .exited(let code):
                guard let fault = Fault.Code(rawValue: Int32(code)) else { return .died("exit code \(code)") }
                return .explained(isForPeople: fault.isForPeople)
            case .signaled(let number): return .died("signal \(number)")
            }
        } catch {
            return .died("\(error)")
        }
    }

    private func note(_ status: JSONValue) {
        state.withLock { state in if !state.hasEnded { state.status = status } }
    }

    // What it had counted stays.
    private func note(doing: String) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.status = Self.replacing(state.status, doing)
        }
    }

    private static func replacing(_ status: JSONValue, _ doing: String) -> JSONValue {
        guard case .object(var members) = status else { return only(doing) }
        members["doing"] = .string(doing)
        return .object(members)
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

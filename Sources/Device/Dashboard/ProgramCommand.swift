internal import Subprocess
internal import Support
internal import SystemPackage

/// Gaitway's command line, which is what the page's buttons are: what it refuses, the page refuses, in the same words.
struct ProgramCommand: Sendable {
    let program: String
    /// Bytes of what a command prints.
    private static let limit = 4 << 20
    /// Lines of what it says besides.
    private static let mostLines = 20
    /// Seconds that a command may take which nobody waits for with patience.
    private static let patience = 20.0

    private var executable: Executable { program.contains("/") ? .path(FilePath(program)) : .name(program) }

    // Interrupted first: it then keeps nothing that is half done.
    private var options: PlatformOptions {
        var options = PlatformOptions()
        options.teardownSequence = [.send(signal: .interrupt, allowedDurationToNextStep: .seconds(5))]
        return options
    }

    /// What a short command prints.
    ///
    /// - Throws: what it says went wrong; `.temporary` where it takes too long.
    func output(_ arguments: [String]) async throws -> String {
        let command = Task { try await run(arguments, progress: { _ in }) }
        let watch = Task {
            try await Task.sleep(for: .seconds(Self.patience))
            command.cancel()
        }
        defer { watch.cancel() }
        return try await withTaskCancellationHandler {
            try await command.value
        } onCancel: {
            command.cancel()
        }
    }

    /// The same of one that takes its time; ended with an interrupt where the task is cancelled.
    ///
    /// - Parameter progress: gets what a terminal would show in a line of its own, time and again.
    func run(_ arguments: [String], progress: @Sendable (String) -> Void) async throws -> String {
        do {
            let result = try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: .inherit.updating([Self.progressVariable: "lines"]),
                platformOptions: options, input: .none, output: .string(limit: Self.limit), error: .sequence
            ) { execution in
                var said: [String] = []
                for try await line in execution.standardError.strings() {
                    let text = String(String(line.prefix(2000)).trimmed)
                    if text.hasPrefix(Self.progressMark) {
                        progress(String(text.dropFirst(Self.progressMark.count)))
                    } else if !text.isEmpty {
                        // The fault comes last.
                        if said.count == Self.mostLines { said.removeFirst() }
                        said.append(text)
                    }
                }
                return said
            }
            try Task.checkCancellation()
            if result.terminationStatus.isSuccess { return result.standardOutput }
            throw Self.fault(result.terminationStatus, result.closureResult)
        } catch is CancellationError {
            throw Fault(.temporary, "it was ended")
        } catch let error as SubprocessError where error.code != .spawnFailed && error.code != .executableNotFound {
            throw Fault(.failure, "what the command printed cannot be read: \(error)")
        } catch let error as SubprocessError {
            throw Fault(.noInput, "\(program) cannot be started: \(error)", remedy: "Is gaitway installed beside gaitway-dashboard?")
        }
    }

    // Console.progress knows both.
    private static let progressVariable: Environment.Key = "GAITWAY_PROGRESS"
    private static let progressMark = "progress: "

    private static func fault(_ status: TerminationStatus, _ said: [String]) -> Fault {
        var code = Fault.Code.failure
        if case .exited(let number) = status { code = Fault.Code(rawValue: Int32(number)) ?? .failure }
        // As every command prints a fault, behind its warnings: what happened, then what to do.
        guard let first = said.lastIndex(where: { $0.hasPrefix("gaitway: ") }) ?? said.indices.first else {
            return Fault(code, "the command ended with \(status)")
        }
        let remedy = said[(first + 1)...].joined(separator: " ")
        return Fault(code, String(said[first].trimmingPrefix("gaitway: ")), remedy: remedy.isEmpty ? nil : remedy)
    }
}

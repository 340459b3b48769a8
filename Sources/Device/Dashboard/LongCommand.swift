internal import HTTPTypes
internal import ServiceLifecycle
internal import Support
internal import Synchronization

/// The one command that takes its time, and how it goes: recording, training, guessing.
final class LongCommand: Service {
    private struct State {
        var name = ""
        var task: Task<Void, Never>?
        var progress = ""
        /// What it printed, or why it failed.
        var result: JSON?
        var problem: String?
        var number = 0
    }

    private let command: ProgramCommand
    private let state = Mutex(State())

    init(_ command: ProgramCommand) { self.command = command }

    /// - Parameter name: which the page shows.
    /// - Throws: 409 while another one runs.
    func begin(_ name: String, _ arguments: [String]) throws {
        try state.withLock { state in
            guard state.task == nil else { throw DashboardError(.conflict, "\(state.name) is not over yet") }
            state = State(name: name, number: state.number + 1)
            state.task = Task { await self.run(arguments) }
        }
    }

    private func run(_ arguments: [String]) async {
        do {
            let text = try await command.run(arguments) { line in self.state.withLock { $0.progress = line } }
            let result = JSONValue(parsing: Array(text.utf8))
            state.withLock { ($0.result, $0.task) = (result.map { JSON($0) } ?? .string(String(text.trimmed)), nil) }
        } catch {
            state.withLock { ($0.problem, $0.task) = (Self.text(error), nil) }
        }
    }

    private static func text(_ error: any Error) -> String {
        guard let fault = error as? Fault else { return "\(error)" }
        return [fault.message, fault.remedy].compactMap(\.self).joined(separator: ". ")
    }

    /// Interrupts it; what it did so far is not kept.
    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Interrupts it with the end of the program, and waits for its own.
    func run() async {
        try? await gracefulShutdown()
        let task = state.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    var json: JSON {
        state.withLock { state in
            .object([
                ("number", .integer(state.number)), ("name", .string(state.name)), ("running", .bool(state.task != nil)),
                ("progress", .string(state.progress)), ("result", state.result ?? .null),
                ("error", state.problem.map(JSON.string) ?? .null),
            ])
        }
    }
}

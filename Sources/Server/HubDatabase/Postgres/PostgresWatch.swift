internal import Support
internal import Synchronization

/// A connection that learns what other servers change, and holds what one of them alone does.
final class PostgresWatch: Sendable {
    private let connection: PostgresConnection
    /// Of this process, in what it notifies.
    let name: String
    private struct State {
        var held: [String: Int] = [:]
        var terms = 0
    }
    private let state = Mutex(State())
    private let turn = Turn()

    init(_ address: String, name: String) { (connection, self.name) = (PostgresConnection(address), name) }

    func isChanged() async throws -> Bool {
        try await run { [self] in
            let isNew = try open()
            return try connection.notifications().contains { $0 != name } || isNew
        }
    }

    func leads(_ task: String) async -> Int? {
        (try? await run { [self] in
            try open()
            if let term = state.withLock({ $0.held[task] }) { return term }
            let isHeld =
                try Bool.fetchOne(
                    Database(connection), sql: "SELECT pg_try_advisory_lock(2, hashtext(current_schema() || ?))", arguments: [task])
                ?? false
            guard isHeld else { return nil }
            return state.withLock { state in
                state.terms += 1
                state.held[task] = state.terms
                return state.terms
            }
        }) ?? nil
    }

    private func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        await turn.begin()
        let result = await withCheckedContinuation { continuation in
            Worker.start { continuation.resume(returning: Result { try body() }) }
        }
        await turn.end()
        return try result.get()
    }

    // What was held ended with the connection before.
    @discardableResult
    private func open() throws -> Bool {
        guard !connection.isOpen else { return false }
        state.withLock { $0.held = [:] }
        try connection.open()
        do { try connection.script("LISTEN gaitway") } catch {
            connection.close()
            throw error
        }
        return true
    }
}

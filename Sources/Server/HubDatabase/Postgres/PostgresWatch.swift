internal import Support
internal import Synchronization

/// A connection that learns what other servers change, and holds what one of them alone does.
final class PostgresWatch: Sendable {
    private let connection: PostgresConnection
    private struct State {
        /// Server processes of this program's own connections: what they changed is known.
        var own: Set<Int32> = []
        var held: Set<String> = []
    }
    private let state = Mutex(State())
    // One at a time.
    private let turn = WorkInTurn()

    init(_ address: String) { connection = PostgresConnection(address) }

    func remember(_ process: Int32) { state.withLock { _ = $0.own.insert(process) } }

    func isChanged() async throws -> Bool {
        try await turn.run { [self] in
            let isNew = try open(), changed = try connection.notifications()
            return state.withLock { state in isNew || changed.contains { !state.own.contains($0) } }
        }
    }

    func leads(_ task: String) async -> Bool {
        let result: Bool? = try? await turn.run { [self] in
            try open()
            if state.withLock({ $0.held.contains(task) }) { return true }
            let isHeld =
                try Bool.fetchOne(
                    Database(connection), sql: "SELECT pg_try_advisory_lock(2, hashtext(current_schema() || ?))", arguments: [task])
                ?? false
            if isHeld { state.withLock { _ = $0.held.insert(task) } }
            return isHeld
        }
        return result ?? false
    }

    // What was held ended with the connection before.
    @discardableResult
    private func open() throws -> Bool {
        let isNew = try connection.open()
        if isNew {
            state.withLock { $0.held = [] }
            try connection.script("LISTEN gaitway")
        }
        return isNew
    }
}

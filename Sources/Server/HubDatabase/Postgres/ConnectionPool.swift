/// Connections that whoever needs one takes, in turn.
actor ConnectionPool {
    private var free: [PostgresConnection]
    private var waiting: [CheckedContinuation<PostgresConnection, Never>] = []

    init(_ connections: [PostgresConnection]) { free = connections }

    func take() async -> PostgresConnection {
        if let connection = free.popLast() { return connection }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func give(_ connection: PostgresConnection) {
        if waiting.isEmpty { free.append(connection) } else { waiting.removeFirst().resume(returning: connection) }
    }
}

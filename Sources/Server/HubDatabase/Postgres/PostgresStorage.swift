package import Support
internal import Synchronization

/// A hub's tables in PostgreSQL, which any number of servers may use at once.
package final class PostgresStorage: Storage {
    package let name: String
    private let pool: ConnectionPool
    private let watch: PostgresWatch
    private static let connections = 8
    private static let attempts = 10

    package var isShared: Bool { true }

    /// Whether an address is one of PostgreSQL's.
    package static func isAddress(_ text: String) -> Bool { text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") }

    /// Connects, and brings the tables to the form of this version.
    ///
    /// - Parameter address: as libpq has it: postgresql://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?NAME=VALUE...]
    /// - Throws: `.temporary`, `.permission`, `.noInput`; `.configuration` for tables of a newer version.
    package init(_ address: String, _ migrations: [Migration]) async throws(Fault) {
        name = Self.withoutPassword(address)
        let connection = PostgresConnection(address), name = name
        try await Worker.run { _ in
            do {
                try PostgresTables.migrate(connection, migrations, name)
                return .success(())
            } catch { return .failure(Self.fault(error, name)) }
        }
        pool = ConnectionPool([connection] + (1..<Self.connections).map { _ in PostgresConnection(address) })
        watch = PostgresWatch(address)
    }

    private static func withoutPassword(_ address: String) -> String {
        let text = address.prefix { $0 != "?" }
        guard let end = text.lastIndex(of: "@") else { return String(text) }
        return "postgresql://" + text[text.index(after: end)...]
    }

    package func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await run(.alone, body)
    }

    package func add<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await run(.beside, body)
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await run(.reading, body)
    }

    private enum Kind {
        case alone, beside, reading

        // 1: who writes after a look at what is there does so alone, as in a file. The lock ends with the transaction.
        var begin: String {
            switch self {
            case .alone: "BEGIN; SELECT pg_advisory_xact_lock(1, hashtext(current_schema()))"
            case .beside: "BEGIN"
            case .reading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }
        var end: String { self == .alone ? "NOTIFY gaitway; COMMIT" : "COMMIT" }
    }

    private func run<Value: Sendable>(
        _ kind: Kind, _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(Fault) -> Value {
        let connection = await pool.take(), name = name
        let result: Result<Value, Fault> = await withCheckedContinuation { continuation in
            Worker.start { continuation.resume(returning: Self.transaction(connection, kind, name, body)) }
        }
        await pool.give(connection)
        watch.remember(connection.process)
        return try result.get()
    }

    private static func transaction<Value>(
        _ connection: PostgresConnection, _ kind: Kind, _ name: String, _ body: (Database) throws -> Value
    ) -> Result<Value, Fault> {
        var attempt = 0
        while true {
            attempt += 1
            // Whether it was kept is not known of a connection that ends here.
            var isEnding = false
            do {
                try connection.open()
                try connection.script(kind.begin)
                let value = try body(Database(connection))
                isEnding = true
                try connection.script(kind.end)
                return .success(value)
            } catch {
                let failure = error as? PostgresError
                if failure?.isLost == true { connection.close() } else { try? connection.script("ROLLBACK") }
                let mayRetry = failure.map { $0.isTransient || $0.isLost && !isEnding && attempt == 1 } ?? false
                guard mayRetry, attempt < attempts else { return .failure(fault(error, name)) }
            }
        }
    }

    private static func fault(_ error: any Error, _ name: String) -> Fault {
        (error as? PostgresError)?.fault(name) ?? error as? Fault ?? Fault(.failure, "\(name): \(error)")
    }

    package func isChanged() async throws(Fault) -> Bool {
        do { return try await watch.isChanged() } catch { throw Self.fault(error, name) }
    }

    package func leads(_ task: String) async -> Bool { await watch.leads(task) }
}

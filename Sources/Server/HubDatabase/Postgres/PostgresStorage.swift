internal import Cryptography
package import Support
internal import Synchronization

/// A hub's tables in PostgreSQL, which any number of servers may use at once.
package final class PostgresStorage: Storage {
    package let name: String
    private let pool: ConnectionPool
    private let watch: PostgresWatch
    // Of writers one at a time asks for the lock that all servers share: the others leave the connections to readers.
    private let writing = Turn()
    // Why no connection could be had, and until when none is tried: a server that is away makes nobody wait in a queue.
    private let away = Mutex<(error: PostgresError, until: Double)?>(nil)
    private static let pause = 1.0
    private static let connections = 8
    private static let attempts = 10

    package var isShared: Bool { true }

    /// Whether an address is one of PostgreSQL's.
    package static func isAddress(_ text: String) -> Bool { text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") }

    /// Connects, and brings the tables to the form of this version.
    ///
    /// - Parameter address: as libpq has it: postgresql://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?NAME=VALUE...]
    /// - Parameter makes: whether they are made where there are none.
    /// - Throws: `.temporary`, `.permission`, `.noInput`; `.configuration` for tables of a newer version.
    package init(_ address: String, _ migrations: [Migration], makes: Bool = true) async throws(Fault) {
        name = try PostgresAddress.name(address)
        let connection = PostgresConnection(address), name = name
        try await Worker.run { _ in
            do {
                try PostgresTables.migrate(connection, migrations, name, makes: makes)
                return .success(())
            } catch { return .failure((error as? PostgresError)?.startFault(name) ?? Self.fault(error, name)) }
        }
        pool = ConnectionPool([connection] + (1..<Self.connections).map { _ in PostgresConnection(address) })
        watch = PostgresWatch(address, name: Hexadecimal.text((0..<8).map { _ in UInt8.random(in: 0...255) }))
    }

    package func write<Value: Sendable>(
        tellsOthers: Bool, _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(Fault) -> Value {
        await writing.begin()
        let result: Result<Value, Fault>
        do throws(Fault) { result = .success(try await run(.alone(tellsOthers: tellsOthers), body)) } catch { result = .failure(error) }
        await writing.end()
        return try result.get()
    }

    package func add<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await run(.beside, body)
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await run(.reading, body)
    }

    private enum Kind {
        case alone(tellsOthers: Bool)
        case beside, reading

        // 1: who writes after a look at what is there does so alone, as in a file. The lock ends with the transaction.
        var begin: String {
            switch self {
            case .alone: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(1, hashtext(current_schema()))"
            case .beside: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
            case .reading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }

        var tellsOthers: Bool { if case .alone(true) = self { true } else { false } }
    }

    private func run<Value: Sendable>(
        _ kind: Kind, _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(Fault) -> Value {
        if let away = away.withLock({ $0 }), SystemTime.uptime < away.until { throw away.error.fault(name) }
        let connection = await pool.take()
        // While it waited others may have found that the server is away.
        if let away = away.withLock({ $0 }), SystemTime.uptime < away.until {
            await pool.give(connection)
            throw away.error.fault(name)
        }
        let result: Result<Value, Fault>
        do throws(Fault) {
            result = .success(try await Worker.run { [self] _ in transaction(connection, kind, body) })
        } catch { result = .failure(error) }
        await pool.give(connection)
        return try result.get()
    }

    private func transaction<Value>(
        _ connection: PostgresConnection, _ kind: Kind, _ body: (Database) throws -> Value
    ) -> Result<Value, Fault> {
        var attempt = 0
        while true {
            attempt += 1
            // Whether it was kept is not known of a connection that ends here.
            var isEnding = false, isOpen = false
            do {
                try open(connection)
                isOpen = true
                try connection.begin(kind.begin)
                let value = try body(Database(connection))
                isEnding = true
                try connection.script(
                    kind.tellsOthers && connection.hasChanged ? "NOTIFY gaitway, '\(watch.name)'; COMMIT" : "COMMIT")
                return .success(value)
            } catch {
                let failure = error as? PostgresError
                if failure?.isLost == true { connection.close() } else { try? connection.script("ROLLBACK") }
                let mayRetry = failure.map { $0.isTransient || $0.isLost && isOpen && !isEnding && attempt == 1 } ?? false
                guard mayRetry, attempt < Self.attempts else { return .failure(Self.fault(error, name)) }
            }
        }
    }

    private func open(_ connection: PostgresConnection) throws {
        do {
            try connection.open()
            away.withLock { $0 = nil }
        } catch let error as PostgresError {
            away.withLock { $0 = (error, SystemTime.uptime + Self.pause) }
            throw error
        }
    }

    private static func fault(_ error: any Error, _ name: String) -> Fault {
        (error as? PostgresError)?.fault(name) ?? error as? Fault ?? Fault(.failure, "\(name): \(error)")
    }

    package func isChanged() async throws(Fault) -> Bool {
        do { return try await watch.isChanged() } catch { throw Self.fault(error, name) }
    }

    package func leads(_ task: String) async -> Int? { await watch.leads(task) }
}

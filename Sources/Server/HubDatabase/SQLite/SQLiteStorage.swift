internal import GRDB
package import Support
internal import Synchronization

/// A hub's tables in one SQLite file. Several processes may have it open: the server, and `gaitway-hub`'s other verbs.
package final class SQLiteStorage: Storage {
    package let path: String
    private let pool: DatabasePool
    private let version = Mutex<Int>(0)

    package var name: String { path }
    package var isShared: Bool { false }

    /// Opens the file, or makes it; its owner alone may read it.
    ///
    /// - Throws: `.noInput`, `.permission`, `.badData` when it is none of a hub's.
    package init(_ path: String, _ migrations: [Migration]) throws(Fault) {
        self.path = path
        do {
            try SQLiteFile.prepare(path)
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(10)
            configuration.maximumReaderCount = 3
            configuration.prepareDatabase { database in
                // Acknowledged is on the disk, power cuts included.
                try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192; PRAGMA foreign_keys = ON")
            }
            pool = try DatabasePool(path: path, configuration: configuration)
            // One process after the other: two would both begin with the same step.
            let lock = try FileLock(path + ".migrating", Stop())
            defer { lock?.release() }
            let migrator = SQLiteFile.migrator(migrations)
            guard try !pool.read(migrator.hasBeenSuperseded) else {
                let made = try pool.read { Set(try migrator.appliedIdentifiers($0)).compactMap { Int($0) }.max() ?? 0 }
                throw Fault(
                    .configuration, "\(path) is of schema \(made), made by a newer gaitway-hub; this one knows \(migrations.count)",
                    remedy: "Use that version again, or restore a copy from before: gaitway-hub restore.")
            }
            try migrator.migrate(pool)
        } catch let fault as Fault {
            throw fault
        } catch {
            throw SQLiteFile.fault(error, path)
        }
    }

    package func write<Value: Sendable>(
        tellsOthers: Bool, _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(Fault) -> Value {
        do { return try await pool.write { try body(Database(SQLiteSession(database: $0))) } } catch { throw SQLiteFile.fault(error, path) }
    }

    // One writes at a time.
    package func add<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await write(tellsOthers: true, body)
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        do { return try await pool.read { try body(Database(SQLiteSession(database: $0))) } } catch { throw SQLiteFile.fault(error, path) }
    }

    /// The same for a thread that may wait.
    func readAtOnce<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try pool.read { try body(Database(SQLiteSession(database: $0))) } } catch {
            throw error is PostgresError ? error : SQLiteFile.fault(error, path)
        }
    }

    package func isChanged() async throws(Fault) -> Bool {
        let now: Int
        // Of the connection that writes: its own changes do not count.
        do { now = try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 } } catch {
            throw SQLiteFile.fault(error, path)
        }
        return version.withLock { seen in
            defer { seen = now }
            return seen != now
        }
    }

    package func leads(_ task: String) async -> Int? { 1 }

    /// Copies everything into another file, as it is at one moment, while the server runs.
    ///
    /// - Throws: `.usage` where the file is there; those of the disk.
    package func backUp(to copy: String) async throws(Fault) {
        guard !Files.exists(copy) else { throw Fault(.usage, "\(copy) is there already", remedy: "Name a file that is not.") }
        // For its owner alone, as the hub's own file.
        try SQLiteFile.prepare(copy)
        do {
            try await pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
        } catch {
            try? Files.remove(copy)
            throw SQLiteFile.fault(error, copy)
        }
    }
}

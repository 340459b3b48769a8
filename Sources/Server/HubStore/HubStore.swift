internal import Cryptography
internal import GRDB
package import Support
internal import Synchronization

/// What a hub knows, in one SQLite file: devices, tokens, models, roll-outs, events. What a call acknowledges is in the file.
///
/// Several processes may have it open: the server, and `gaitway-hub`'s other verbs.
package final class HubStore: Sendable {
    package let path: String
    let database: DatabasePool
    let beats = Mutex<[String: Beat]>([:])
    // By tokens as their holders have them: they are in no file.
    let sessions = Mutex<[String: Session]>([:])
    let version = Mutex<Int>(0)
    // Seconds between heartbeats.
    let heartbeatInterval = Mutex<Int>(300)
    // Since when boards can reach this hub, and until when they could: seconds since 1970; nil for who serves none.
    let listening = Mutex<(since: Double, last: Double)?>(nil)
    // Versions that boards reported anew, by model.
    let reported = Mutex<[String: Set<Int>]>([:])

    /// Opens the file, or makes it; its owner alone may read it.
    ///
    /// - Throws: `.noInput`, `.permission`, `.badData` when it is none of a hub's.
    package init(_ path: String) throws(Fault) {
        self.path = path
        do {
            try HubFile.prepare(path)
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(10)
            configuration.maximumReaderCount = 3
            configuration.prepareDatabase { database in
                // Acknowledged is on the disk, power cuts included.
                try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192; PRAGMA foreign_keys = ON")
            }
            database = try DatabasePool(path: path, configuration: configuration)
            // One process after the other: two would both begin with the same step.
            let lock = try FileLock(path + ".migrating", Stop())
            defer { lock?.release() }
            guard try !database.read(Migrations.all.hasBeenSuperseded) else {
                let made = try database.read { Set(try Migrations.all.appliedIdentifiers($0)).compactMap { Int($0) }.max() ?? 0 }
                throw Fault(
                    .configuration,
                    "\(path) is of schema \(made), made by a newer gaitway-hub; this one knows \(Migrations.all.migrations.count)",
                    remedy: "Use that version again, or restore a copy from before: gaitway-hub restore.")
            }
            try Migrations.all.migrate(database)
            let kept = try database.read {
                try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = 'interval'").flatMap { Int($0) }
            }
            if let kept { heartbeatInterval.withLock { $0 = kept } }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw HubStore.fault(error, path)
        }
    }

    /// Runs `body` alone, and keeps all of what it did or nothing.
    func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        do { return try await database.write(body) } catch { throw Self.fault(error, path) }
    }

    func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        do { return try await database.read(body) } catch { throw Self.fault(error, path) }
    }

    static func fault(_ error: any Error, _ path: String) -> Fault {
        if let fault = error as? Fault { return fault }
        guard let error = error as? DatabaseError else { return Fault(.failure, "\(path): \(error)") }
        return switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            Fault(.badData, "\(path) is no hub's database, or is damaged", remedy: "Restore it from a copy, or name another with --data.")
        case .SQLITE_CANTOPEN: Fault(.noInput, "\(path) cannot be opened", remedy: "Does its directory exist, and may you write there?")
        case .SQLITE_FULL: Fault(.temporary, "the disk with \(path) is full")
        case .SQLITE_READONLY, .SQLITE_PERM: Fault(.permission, "\(path) cannot be written")
        // What it was to be of went away while the request was on its way.
        case .SQLITE_CONSTRAINT: Fault(.usage, "what this belongs to was removed meanwhile")
        case .SQLITE_BUSY: Fault(.temporary, "\(path) is held by another program")
        default: Fault(.failure, "\(path): \(error.message ?? "\(error.resultCode)")")
        }
    }

    /// What was noted in passing goes to the file: call it every few seconds, and before the end.
    package func settle() async throws(Fault) { try await writeBeats() }

    /// Copies everything into another file, as it is at one moment, while the server runs.
    ///
    /// - Throws: `.usage` where the file is there; those of the disk.
    package func backUp(to copy: String) async throws(Fault) {
        guard !Files.exists(copy) else { throw Fault(.usage, "\(copy) is there already", remedy: "Name a file that is not.") }
        try await settle()
        // For its owner alone, as the hub's own file.
        try HubFile.prepare(copy)
        do {
            try await database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
        } catch {
            try? Files.remove(copy)
            throw Self.fault(error, copy)
        }
    }

    /// Whatever another process changed meanwhile is no longer remembered otherwise: call it every second.
    ///
    /// - Returns: whether there was anything.
    @discardableResult
    package func forgetStale() async throws(Fault) -> Bool {
        let now: Int
        // Of the connection that writes: its own changes do not count.
        do { now = try await database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 } } catch {
            throw Self.fault(error, path)
        }
        let changed = version.withLock { seen in
            defer { seen = now }
            return seen != now
        }
        if changed { sessions.withLock { $0.removeAll() } }
        return changed
    }

    /// A key of this hub's own, made at first use: it signs addresses of downloads.
    package func secret() async throws(Fault) -> [UInt8] {
        try await write { database in
            if let found = try String.fetchOne(database, sql: "SELECT value FROM settings WHERE name = 'secret'"),
                let bytes = Hexadecimal.bytes(found)
            {
                return bytes
            }
            let made = Secret.bytes(32)
            try database.execute(sql: "INSERT INTO settings (name, value) VALUES ('secret', ?)", arguments: [Hexadecimal.text(made)])
            return made
        }
    }
}

internal import Cryptography
internal import HubDatabase
package import Support
internal import Synchronization

/// What a hub knows, in one SQLite file or in PostgreSQL: devices, tokens, models, roll-outs, events. What a call acknowledges is there for
/// good.
///
/// Several processes may have it open: the server, and `gaitway-hub`'s other verbs; with PostgreSQL any number of servers.
package final class HubStore: Sendable {
    /// The file, or the database's address without its password.
    package var path: String { storage.name }
    /// As it was given to ``init(_:)``.
    let place: String
    let storage: any Storage
    let beats = Mutex<[String: Beat]>([:])
    // By tokens as their holders have them: they are in no file.
    let sessions = Mutex<[String: Session]>([:])
    // Grows whenever they are forgotten: what was read before is not remembered after.
    let forgotten = Mutex<Int>(0)
    let sharedBeats = SharedBeats()
    // Seconds between heartbeats.
    let heartbeatInterval = Mutex<Int>(300)
    // Since when boards can reach this hub, and until when they could: seconds since 1970; nil for who serves none.
    let listening = Mutex<(since: Double, last: Double)?>(nil)
    // nil where models' files are in the database alone.
    let modelFolder = Mutex<ModelFolder?>(nil)
    // Versions that boards reported anew, by model.
    let reported = Mutex<[String: Set<Int>]>([:])

    /// Opens the file, or makes it, for its owner alone; or connects to PostgreSQL.
    ///
    /// - Parameters:
    ///   - place: a path, or postgresql://...
    ///   - makes: whether tables are made in a database that has none.
    /// - Throws: `.noInput`, `.permission`, `.temporary`; `.badData` when it is none of a hub's, `.configuration` when it is a newer one's.
    package init(_ place: String, makes: Bool = true) async throws(Fault) {
        self.place = place
        storage =
            PostgresStorage.isAddress(place)
            ? try await PostgresStorage(place, Migrations.all, makes: makes) : try SQLiteStorage(place, Migrations.all)
        let kept = try await read {
            try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = 'interval'").flatMap { Int($0) }
        }
        if let kept { heartbeatInterval.withLock { $0 = kept } }
    }

    /// Whether a place is a database's address, not a file's path.
    package static func isDatabase(_ place: String) -> Bool { PostgresStorage.isAddress(place) }

    @discardableResult
    func write<Value: Sendable>(
        tellsOthers: Bool = true, _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(Fault) -> Value {
        try await storage.write(tellsOthers: tellsOthers, body)
    }

    func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value {
        try await storage.read(body)
    }

    func forgetSessions() {
        sessions.withLock { sessions in
            forgotten.withLock { $0 += 1 }
            sessions.removeAll()
        }
    }

    /// What was noted in passing goes to the file: call it every few seconds, and before the end.
    package func settle() async throws(Fault) { try await writeBeats() }

    /// Copies everything into another file, as it is at one moment, while the server runs.
    ///
    /// - Throws: `.usage` where the file is there; those of the disk.
    package func backUp(to copy: String) async throws(Fault) {
        guard let file = storage as? SQLiteStorage else {
            throw Fault(.usage, "\(path) is no file", remedy: "Copy it with PostgreSQL's own programs: pg_dump, or continuous archiving.")
        }
        try await settle()
        try await file.backUp(to: copy)
    }

    /// Whatever another process changed meanwhile is no longer remembered otherwise: call it every second.
    ///
    /// - Returns: whether there was anything.
    @discardableResult
    package func forgetStale() async throws(Fault) -> Bool {
        var changed = true
        // Where nobody knows, everything may be.
        defer { if changed { forgetSessions() } }
        changed = try await storage.isChanged()
        return changed
    }

    /// Files of models that are not in the database are there.
    package func useModels(in folder: ModelFolder) { modelFolder.withLock { $0 = folder } }

    /// Whether several servers may use what this one uses.
    package var isShared: Bool { storage.isShared }

    /// Whether this process is the one of all servers that does a thing: ask before each time. Another number each time that it begins to
    /// be; nil where another one is.
    package func leads(_ task: String) async -> Int? { await storage.leads(task) }

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

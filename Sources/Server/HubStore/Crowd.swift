internal import Cryptography
internal import HubDatabase
package import Support

/// The crowd that learns at this hub, as it lies in the file.
package struct SavedCrowd: Sendable, Equatable {
    /// Tells one crowd from the next one: it grows with each that is started.
    package var number: Int
    package var settings: String
    package var state: [UInt8]
    /// Samples to measure on; nil for none.
    package var test: [UInt8]?
    package var started: Double

    package init(number: Int, settings: String, state: [UInt8], test: [UInt8]?, started: Double) {
        (self.number, self.settings, self.state, self.test, self.started) = (number, settings, state, test, started)
    }
}

/// A user's node, as JSON; nil for one that is no more. Its last check-in that counted is remembered all the same.
package struct CrowdUser: Sendable, Equatable {
    package var uid: String
    package var node: [UInt8]?
    package var taken: String?

    package init(uid: String, node: [UInt8]?, taken: String?) { (self.uid, self.node, self.taken) = (uid, node, taken) }
}

/// The error of the crowd's weights on the samples to measure on.
package struct CrowdError: Sendable, Equatable {
    package var iteration: Int
    /// Gradients that were taken by then.
    package var taken: Int
    /// 0 ... 1
    package var error: Double
    package var at: Double

    package init(iteration: Int, taken: Int, error: Double, at: Double) {
        (self.iteration, self.taken, self.error, self.at) = (iteration, taken, error, at)
    }
}

extension HubStore {
    /// Starts a crowd in place of the one that there is; its devices begin anew.
    ///
    /// - Parameter make: gets the number of the new crowd.
    package func startCrowd(_ make: @Sendable @escaping (_ number: Int) throws -> SavedCrowd) async throws(Fault) {
        try await write { database in
            // No number comes twice, stopped ones' neither: devices know crowds by it.
            try database.execute(
                sql: """
                    INSERT INTO settings (name, value) VALUES ('crowds', '1')
                    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(settings.value AS INTEGER) + 1 AS TEXT)
                    """
            )
            let crowd = try make(
                try String.fetchOne(database, sql: "SELECT value FROM settings WHERE name = 'crowds'").flatMap { Int($0) } ?? 1)
            try database.script("DELETE FROM crowd; DELETE FROM crowd_users; DELETE FROM crowd_errors")
            try database.execute(
                sql: "INSERT INTO crowd (id, number, settings, state, test, started) VALUES (1, ?, ?, ?, ?, ?)",
                arguments: [crowd.number, crowd.settings, crowd.state, crowd.test, crowd.started])
        }
    }

    package func stopCrowd() async throws(Fault) -> Bool {
        try await write { database in
            try database.script("DELETE FROM crowd_users; DELETE FROM crowd_errors")
            return try database.execute(sql: "DELETE FROM crowd") > 0
        }
    }

    /// Whoever had the crowd before cannot save it any more.
    ///
    /// - Returns: what to save it with.
    package func takeCrowd() async throws(Fault) -> String {
        let keeper = Secret.identifier()
        try await write(tellsOthers: false) {
            try $0.execute(
                sql: "INSERT INTO settings (name, value) VALUES ('keeper', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                arguments: [keeper])
        }
        return keeper
    }

    /// nil where none was started.
    package func crowd() async throws(Fault) -> SavedCrowd? {
        try await read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM crowd").map { row in
                SavedCrowd(
                    number: row["number"], settings: row["settings"], state: row["state"],
                    test: row["test"], started: row["started"])
            }
        }
    }

    /// Its settings as text; nil where none was started.
    package func crowdSettings() async throws(Fault) -> String? {
        try await read { try String.fetchOne($0, sql: "SELECT settings FROM crowd") }
    }

    package func crowdNumber() async throws(Fault) -> Int? { try await read { try Int.fetchOne($0, sql: "SELECT number FROM crowd") } }

    /// Those of some accounts and boards that were removed: no one has their uids again.
    package func removed(of uids: [String]) async throws(Fault) -> [String] {
        let marks = Set(try await read { try String.fetchAll($0, sql: "SELECT id FROM used WHERE kind = 'uid'") })
        return marks.isEmpty ? [] : uids.filter { marks.contains(HubStore.mark(ofUser: $0)) }
    }

    static func forget(uid: String, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM crowd_users WHERE uid = ?", arguments: [uid])
        try database.execute(
            sql: "INSERT INTO used (kind, id) VALUES ('uid', ?) ON CONFLICT DO NOTHING", arguments: [mark(ofUser: uid)])
    }

    // Of somebody who was erased not even the uid is kept.
    private static func mark(ofUser uid: String) -> String { Digest.text(Array(uid.utf8)) }

    package func crowdUsers() async throws(Fault) -> [CrowdUser] {
        try await read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM crowd_users").map {
                CrowdUser(uid: $0["uid"], node: $0["node"], taken: $0["taken"])
            }
        }
    }

    /// Keeps what devices and server changed, all of it or nothing.
    ///
    /// - Parameters:
    ///   - number: of the crowd; where another one was started meanwhile nothing is kept.
    ///   - keeper: what ``takeCrowd()`` gave.
    ///   - state: nil where it did not change.
    /// - Returns: whether the crowd was still that one.
    /// - Throws: `.temporary` where another server has taken it.
    package func save(crowd number: Int, keeper: String, state: [UInt8]?, users: [CrowdUser]) async throws(Fault) -> Bool {
        try await write(tellsOthers: false) { database in
            guard try String.fetchOne(database, sql: "SELECT value FROM settings WHERE name = 'keeper'") == keeper else {
                throw Fault(.temporary, "another server of this hub has the crowd")
            }
            guard try Int.fetchOne(database, sql: "SELECT number FROM crowd") == number else { return false }
            if let state { try database.execute(sql: "UPDATE crowd SET state = ?", arguments: [state]) }
            for user in users {
                // Who was removed meanwhile leaves nothing.
                try database.execute(
                    sql: """
                        INSERT INTO crowd_users (uid, node, taken)
                        SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM used WHERE kind = 'uid' AND id = ?)
                        ON CONFLICT (uid) DO UPDATE SET node = excluded.node, taken = excluded.taken
                        """, arguments: [user.uid, user.node, user.taken, HubStore.mark(ofUser: user.uid)])
            }
            return true
        }
    }

    package func add(_ error: CrowdError) async throws(Fault) {
        try await write(tellsOthers: false) { database in
            try database.execute(
                sql: """
                    INSERT INTO crowd_errors (iteration, taken, error, at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (iteration) DO UPDATE SET taken = excluded.taken, error = excluded.error, at = excluded.at
                    """,
                arguments: [error.iteration, error.taken, error.error, error.at])
        }
    }

    /// By iteration; at most so many, spread over all.
    package func crowdErrors(most: Int = 1000) async throws(Fault) -> [CrowdError] {
        try await read { database in
            let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM crowd_errors") ?? 0,
                step = max(1, (count + most - 1) / max(1, most))
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY iteration DESC) AS n FROM crowd_errors) AS numbered
                    WHERE (n - 1) % ? = 0 ORDER BY iteration
                    """,
                arguments: [step]
            ).map { CrowdError(iteration: $0["iteration"], taken: $0["taken"], error: $0["error"], at: $0["at"]) }
        }
    }
}

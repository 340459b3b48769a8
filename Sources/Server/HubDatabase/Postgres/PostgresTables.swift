internal import Support

/// The tables of a hub in PostgreSQL.
enum PostgresTables {
    /// Brings them to the form of this version; one server after the other.
    ///
    /// - Parameter makes: whether they are made where there are none.
    static func migrate(_ connection: PostgresConnection, _ migrations: [Migration], _ name: String, makes: Bool) throws {
        try connection.open()
        let isThere =
            try Bool.fetchOne(Database(connection), sql: "SELECT to_regclass('gaitway_migrations') IS NOT NULL AS there") ?? false
        guard isThere || makes else {
            throw Fault(
                .noInput, "\(name) has no hub's tables", remedy: "gaitway-hub serve, migrate, tokens create and crowd start make them.")
        }
        do {
            // Another server's may take a while.
            try connection.script(
                """
                BEGIN; SET LOCAL lock_timeout = '120s'; SET LOCAL statement_timeout = 0;
                SELECT pg_advisory_xact_lock(3, hashtext(current_schema()));
                CREATE TABLE IF NOT EXISTS gaitway_migrations (number BIGINT PRIMARY KEY)
                """)
            let made = try Int.fetchOne(Database(connection), sql: "SELECT MAX(number) FROM gaitway_migrations") ?? 0
            guard made <= migrations.count else {
                throw Fault(
                    .configuration, "\(name) is of schema \(made), made by a newer gaitway-hub; this one knows \(migrations.count)",
                    remedy: "Use that version again.")
            }
            for migration in migrations where migration.number > made {
                try connection.script(PostgresDialect.tables(migration.sql))
                _ = try connection.execute("INSERT INTO gaitway_migrations (number) VALUES (?)", [.integer(Int64(migration.number))]) { _ in
                }
            }
            try connection.script("COMMIT")
        } catch {
            try? connection.script("ROLLBACK")
            if let error = error as? PostgresError, error.state.hasPrefix("42P0") {
                throw Fault(
                    .usage, "\(name) has tables of something else: \(error.message)",
                    remedy: "Name an empty database, or a schema of its own: ?options=-csearch_path%3Dhub")
            }
            throw error
        }
    }
}

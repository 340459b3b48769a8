internal import Support

/// The tables of a hub in PostgreSQL.
enum PostgresTables {
    /// Brings them to the form of this version; one server after the other.
    static func migrate(_ connection: PostgresConnection, _ migrations: [Migration], _ name: String) throws {
        try connection.open()
        do {
            // Another server's may take a while.
            try connection.script(
                """
                BEGIN; SET LOCAL lock_timeout = '120s'; SET LOCAL statement_timeout = 0;
                SELECT pg_advisory_xact_lock(3, hashtext(current_schema()));
                CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY)
                """)
            let made = try Int.fetchOne(Database(connection), sql: "SELECT MAX(number) FROM migrations") ?? 0
            guard made <= migrations.count else {
                throw Fault(
                    .configuration, "\(name) is of schema \(made), made by a newer gaitway-hub; this one knows \(migrations.count)",
                    remedy: "Use that version again.")
            }
            for migration in migrations where migration.number > made {
                try connection.script(PostgresDialect.tables(migration.sql))
                _ = try connection.execute("INSERT INTO migrations (number) VALUES (?)", [.integer(Int64(migration.number))]) { _ in }
            }
            try connection.script("COMMIT")
        } catch {
            try? connection.script("ROLLBACK")
            throw error
        }
    }
}

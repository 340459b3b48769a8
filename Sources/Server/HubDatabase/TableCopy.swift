internal import GRDB
package import Support

/// Copies a hub's file into a database that has none yet.
package enum TableCopy {
    private static let batch = 500, bytes = 8 << 20

    /// - Parameters:
    ///   - tables: those that others belong to first.
    ///   - numbered: tables whose rows have a number that is given by the database, and the column.
    /// - Returns: rows of each table.
    /// - Throws: `.usage` where the database has rows already; those of both.
    package static func run(
        from file: SQLiteStorage, to database: PostgresStorage, _ tables: [String], numbered: [String: String]
    ) async throws(Fault) -> [(table: String, rows: Int)] {
        try await database.write(tellsOthers: true) { target in
            for table in tables where try Row.fetchOne(target, sql: "SELECT 1 AS one FROM \(table) LIMIT 1") != nil {
                throw Fault(
                    .usage, "\(database.name) has a hub's data already (\(table))", remedy: "Name a database that is empty: createdb.")
            }
            return try file.readAtOnce { source in
                var counts: [(table: String, rows: Int)] = []
                for table in tables { counts.append((table, try copy(table, from: source, to: target))) }
                for (table, column) in numbered { try number(table, column, from: source, to: target) }
                return counts
            }
        }
    }

    private static func copy(_ table: String, from source: Database, to target: Database) throws -> Int {
        var waiting: [StatementArguments] = [], sql = "", count = 0, size = 0
        func send() throws {
            if !waiting.isEmpty { try target.execute(sql: sql, each: waiting) }
            (waiting, size) = ([], 0)
        }
        try source.forEachRow(sql: "SELECT * FROM \(table)") { row in
            if sql.isEmpty {
                let names = row.columns.names
                sql = "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
            }
            waiting.append(StatementArguments(values: row.values))
            count += 1
            for case .bytes(let bytes) in row.values { size += bytes.count }
            if waiting.count == batch || size > Self.bytes { try send() }
        }
        try send()
        return count
    }

    // Where SQLite remembers the highest number that ever was, none of those comes again.
    private static func number(_ table: String, _ column: String, from source: Database, to target: Database) throws {
        let ever = try Int.fetchOne(source, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table]) ?? 0
        let present = try Int.fetchOne(source, sql: "SELECT MAX(\(column)) FROM \(table)") ?? 0
        guard max(ever, present) > 0 else { return }
        _ = try Row.fetchOne(
            target, sql: "SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'), CAST(? AS BIGINT)) AS number",
            arguments: [max(ever, present)])
    }
}

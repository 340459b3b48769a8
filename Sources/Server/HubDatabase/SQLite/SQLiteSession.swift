internal import FoundationEssentials
internal import GRDB

/// Statements in a SQLite file.
struct SQLiteSession: DatabaseSession {
    let database: GRDB.Database

    func execute(_ sql: String, _ values: [DatabaseValue], _ body: (Row) throws -> Void) throws -> Int {
        let arguments = GRDB.StatementArguments(values.map(Self.argument)), before = database.totalChangesCount
        let statement = try database.cachedStatement(sql: sql)
        if statement.columnCount == 0 {
            try statement.execute(arguments: arguments)
        } else {
            let rows = try GRDB.Row.fetchCursor(statement, arguments: arguments), columns = Row.Columns(statement.columnNames)
            while let row = try rows.next() { try body(Row(columns, row.databaseValues.map(Self.value))) }
        }
        return database.totalChangesCount == before ? 0 : database.changesCount
    }

    func execute(_ sql: String, each values: [[DatabaseValue]]) throws {
        let statement = try database.cachedStatement(sql: sql)
        for row in values { try statement.execute(arguments: GRDB.StatementArguments(row.map(Self.argument))) }
    }

    func takeTime() {}

    func script(_ sql: String) throws { try database.execute(sql: sql) }

    private static func argument(_ value: DatabaseValue) -> (any DatabaseValueConvertible)? {
        switch value {
        case .null: nil
        case .integer(let number): number
        case .real(let number): number
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        }
    }

    private static func value(_ value: GRDB.DatabaseValue) -> DatabaseValue {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes([UInt8](data))
        }
    }
}

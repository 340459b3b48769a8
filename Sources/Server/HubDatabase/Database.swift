/// A transaction that statements are carried out in. They are written in what SQLite (3.39) and PostgreSQL (12) have in common, with `?`
/// for each argument.
package struct Database {
    private let session: any DatabaseSession

    init(_ session: any DatabaseSession) { self.session = session }

    /// - Returns: how many rows it changed.
    @discardableResult
    package func execute(sql: String, arguments: StatementArguments = []) throws -> Int {
        try session.execute(sql, arguments.values) { _ in }
    }

    /// Carries a statement out once for each of the arguments.
    package func execute(sql: String, each arguments: [StatementArguments]) throws {
        try session.execute(sql, each: arguments.map(\.values))
    }

    /// Several statements without arguments.
    package func script(_ sql: String) throws { try session.script(sql) }

    /// Statements of this transaction may take as long as they need.
    package func takeTime() throws { try session.takeTime() }

    package func forEachRow(sql: String, arguments: StatementArguments = [], _ body: (Row) throws -> Void) throws {
        try session.execute(sql, arguments.values, body)
    }
}

/// What carries statements out.
protocol DatabaseSession {
    /// - Parameter body: is given each row.
    /// - Returns: how many rows the statement changed.
    @discardableResult
    func execute(_ sql: String, _ values: [DatabaseValue], _ body: (Row) throws -> Void) throws -> Int
    func execute(_ sql: String, each values: [[DatabaseValue]]) throws
    func script(_ sql: String) throws
    func takeTime() throws
}

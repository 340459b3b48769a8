/// One row of what a statement gives.
package struct Row: Sendable {
    /// Names of the columns, shared by all rows of a statement.
    package final class Columns: Sendable {
        package let names: [String]
        let places: [String: Int]

        package init(_ names: [String]) {
            self.names = names
            places = Dictionary(zip(names, names.indices)) { first, _ in first }
        }
    }

    package let columns: Columns
    package let values: [DatabaseValue]

    package init(_ columns: Columns, _ values: [DatabaseValue]) { (self.columns, self.values) = (columns, values) }

    /// A column's value; what stands for none where the column holds something else, or is not there.
    package subscript<Value: ColumnValue>(name: String) -> Value {
        guard let place = columns.places[name], values.indices.contains(place) else { return .absent }
        return Value(values[place]) ?? .absent
    }

    package static func fetchAll(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> [Row] {
        var rows: [Row] = []
        try database.forEachRow(sql: sql, arguments: arguments) { rows.append($0) }
        return rows
    }

    package static func fetchOne(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> Row? {
        try fetchAll(database, sql: sql, arguments: arguments).first
    }
}

extension ColumnValue {
    /// The first column of all rows.
    package static func fetchAll(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
        try Row.fetchAll(database, sql: sql, arguments: arguments).compactMap { $0.values.first.flatMap { Self($0) } }
    }

    /// The first column of the first row; nil where there is none, or NULL.
    package static func fetchOne(_ database: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)?.values.first.flatMap { Self($0) }
    }
}

/// A step from one form of the tables to the next.
package struct Migration: Sendable {
    /// 1, 2, ...
    package var number: Int
    /// In SQLite's words for types.
    package var sql: String
    /// What is done besides in a SQLite file, which may have rows of before.
    package var inFiles: String?

    package init(_ number: Int, _ sql: String, inFiles: String? = nil) { (self.number, self.sql, self.inFiles) = (number, sql, inFiles) }
}

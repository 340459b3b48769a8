/// What a column holds, or a statement's argument.
package enum DatabaseValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
}

/// What can be read from a column, and written to it.
package protocol ColumnValue: Sendable {
    /// nil where the column holds something else.
    init?(_ value: DatabaseValue)
    /// What stands for a value that is not there: tables have no such column where it matters (NOT NULL).
    static var absent: Self { get }
    var databaseValue: DatabaseValue { get }
}

extension Int: ColumnValue {
    package init?(_ value: DatabaseValue) {
        switch value {
        case .integer(let number): self.init(exactly: number)
        // Sums.
        case .real(let number): self.init(exactly: number)
        default: return nil
        }
    }
    package static var absent: Int { 0 }
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}

extension Int64: ColumnValue {
    package init?(_ value: DatabaseValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
    package static var absent: Int64 { 0 }
    package var databaseValue: DatabaseValue { .integer(self) }
}

extension Double: ColumnValue {
    package init?(_ value: DatabaseValue) {
        switch value {
        case .integer(let number): self = Double(number)
        case .real(let number): self = number
        default: return nil
        }
    }
    package static var absent: Double { 0 }
    package var databaseValue: DatabaseValue { .real(self) }
}

extension Bool: ColumnValue {
    package init?(_ value: DatabaseValue) {
        guard case .integer(let number) = value else { return nil }
        self = number != 0
    }
    package static var absent: Bool { false }
    package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}

extension String: ColumnValue {
    package init?(_ value: DatabaseValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    package static var absent: String { "" }
    package var databaseValue: DatabaseValue { .text(self) }
}

extension [UInt8]: ColumnValue {
    package init?(_ value: DatabaseValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }
    package static var absent: [UInt8] { [] }
    package var databaseValue: DatabaseValue { .bytes(self) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package init?(_ value: DatabaseValue) {
        if value == .null {
            self = .none
            return
        }
        guard let found = Wrapped(value) else { return nil }
        self = .some(found)
    }
    package static var absent: Wrapped? { nil }
    package var databaseValue: DatabaseValue { map(\.databaseValue) ?? .null }
}

/// Arguments of a statement, one for each `?` in it.
package struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
    package var values: [DatabaseValue]

    package init(values: [DatabaseValue] = []) { self.values = values }
    package init(arrayLiteral elements: (any ColumnValue)?...) { values = elements.map { $0?.databaseValue ?? .null } }

    package static func + (left: Self, right: Self) -> Self { Self(values: left.values + right.values) }
}

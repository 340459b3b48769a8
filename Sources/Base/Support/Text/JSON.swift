/// A JSON value whose numbers are written just as they were given and whose keys keep their order.
package enum JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .number("\(value)") }

    package static func integer(_ value: some BinaryInteger) -> JSON { .number("\(value)") }

    /// Members in the order of their names.
    package init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let found): .bool(found)
            case .integer(let found): .integer(found)
            case .number(let found): .number("\(found)")
            case .string(let found): .string(found)
            case .array(let found): .array(found.map { JSON($0) })
            case .object(let found): .object(found.keys.sorted().map { ($0, JSON(found[$0] ?? .null)) })
            }
    }

    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let pairs): "{" + pairs.map { Self.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ value: String) -> String {
        var line = TextLine()
        line.append(quoted: value)
        return line.text
    }
}

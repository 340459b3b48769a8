/// JSON as it is written, part by part: numbers just as they were given, members in their order. ``JSONValue`` is what is read.
package struct JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, Sendable {
    package let text: String

    private init(text: String) { self.text = text }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }

    package static let null = JSON(text: "null")
    package static func bool(_ value: Bool) -> JSON { JSON(text: value ? "true" : "false") }
    /// - Parameter text: a number of JSON.
    package static func number(_ text: String) -> JSON { JSON(text: text) }
    package static func integer(_ value: some BinaryInteger) -> JSON { JSON(text: "\(value)") }

    package static func string(_ value: String) -> JSON {
        var line = TextLine()
        line.append(quoted: value)
        return JSON(text: line.text)
    }

    package static func array(_ values: [JSON]) -> JSON { JSON(text: "[" + values.map(\.text).joined(separator: ",") + "]") }

    package static func object(_ members: [(String, JSON)]) -> JSON {
        JSON(text: "{" + members.map { JSON.string($0.0).text + ":" + $0.1.text }.joined(separator: ",") + "}")
    }

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
}

internal import FoundationEssentials

/// JSON as it comes and goes: servers of three generations differ in shapes and types.
package enum JSONValue: Codable, Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let found = try? value.decode(Bool.self) {
            self = .bool(found)
        } else if let found = try? value.decode(Int.self) {
            self = .integer(found)
        } else if let found = try? value.decode(Double.self) {
            self = .number(found)
        } else if let found = try? value.decode(String.self) {
            self = .string(found)
        } else if let found = try? value.decode([JSONValue].self) {
            self = .array(found)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let found): try value.encode(found)
        case .integer(let found): try value.encode(found)
        case .number(let found): try value.encode(found)
        case .string(let found): try value.encode(found)
        case .array(let found): try value.encode(found)
        case .object(let found): try value.encode(found)
        }
    }

    /// A string, or a number as text: IDs have been both.
    package var text: String? {
        switch self {
        case .string(let found): found
        case .integer(let found): "\(found)"
        default: nil
        }
    }

    package var number: Double? {
        switch self {
        case .integer(let found): Double(found)
        case .number(let found): found
        default: nil
        }
    }

    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { return members[key] }
        return nil
    }

    /// What JSONSerialization takes.
    package var any: Any {
        switch self {
        case .null: Optional<String>.none as Any
        case .bool(let found): found
        case .integer(let found): found
        case .number(let found): found
        case .string(let found): found
        case .array(let found): found.map(\.any)
        case .object(let found): found.mapValues(\.any)
        }
    }

    /// Only the members that there are.
    package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
        var found: [String: JSONValue] = [:]
        for (name, value) in members { if let value { found[name] = value } }
        return .object(found)
    }

    package init?(_ text: String?) {
        guard let text else { return nil }
        self = .string(text)
    }

    package init?(_ number: Int?) {
        guard let number else { return nil }
        self = .integer(number)
    }

    /// A whole number of 64 bits, also where ``Int`` has 32.
    package static func whole(_ value: Int64) -> JSONValue { Int(exactly: value).map { .integer($0) } ?? .number(Double(value)) }

    package init?(_ flag: Bool?) {
        guard let flag else { return nil }
        self = .bool(flag)
    }

    package init?(parsing bytes: [UInt8]) {
        guard let found = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else { return nil }
        self = found
    }

    package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(dictionaryLiteral members: (String, JSONValue)...) { self = .members(members) }
}

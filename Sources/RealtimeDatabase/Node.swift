internal import FoundationEssentials
public import Support

/// A value of a database in the form of Firebase's Realtime Database. What is null, and what is empty, is not there.
public indirect enum Node: Sendable, Equatable {
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    /// Numbers by place, from 0, without gaps: a list, or an object whose names are the places.
    case vector([Double])
    case object([String: Node])

    /// Levels below the root, as Firebase has it.
    public static let deepest = 32

    /// nil for null.
    ///
    /// Errors: `.badData` for what is no JSON or no tree: numbers beyond a double, names with . $ # [ ] /, more than 32 levels.
    public static func parse(_ bytes: [UInt8]) throws(Fault) -> Node? {
        let found: Written
        do { found = try JSONDecoder().decode(Written.self, from: Data(bytes)) } catch { throw Fault(.badData, "Invalid data; couldn't parse JSON object, array, or value.") }
        try found.node?.check(Self.deepest)
        return found.node
    }

    /// What a PATCH changes: each path is written as a whole, nil removes.
    ///
    /// Errors: `.badData` for what is no object.
    public static func updates(_ bytes: [UInt8]) throws(Fault) -> [(path: NodePath, node: Node?)] {
        guard let found = try? JSONDecoder().decode([String: Written].self, from: Data(bytes)) else { throw Fault(.badData, "Invalid data; couldn't parse JSON object.") }
        var changes: [(path: NodePath, node: Node?)] = []
        for (name, written) in found {
            let path = try NodePath(name)
            guard !path.names.isEmpty else { throw Fault(.badData, "Invalid data; keys must be non-empty strings") }
            try written.node?.check(deepest - path.names.count)
            changes.append((path, written.node))
        }
        return changes
    }

    // Null is a value on the wire, and in lists.
    private struct Written: Decodable {
        var node: Node?

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() { return }
            if let found = try? value.decode([Double].self) {
                node = found.isEmpty ? nil : .vector(found)
            } else if let found = try? value.decode([String: Written].self) {
                node = Node.object(of: found.compactMapValues(\.node))
            } else if let found = try? value.decode(String.self) {
                node = .text(found)
            } else if let found = try? value.decode(Bool.self) {
                node = .bool(found)
            } else if let found = try? value.decode(Int.self) {
                node = .integer(found)
            } else if let found = try? value.decode(Double.self) {
                node = .number(found)
            } else {
                var members: [String: Node] = [:]
                for (place, item) in try value.decode([Written].self).enumerated() { members["\(place)"] = item.node }
                node = Node.object(of: members)
            }
        }
    }

    /// An object, or a vector where that is what it is; nil when it is empty.
    static func object(of members: [String: Node]) -> Node? {
        guard !members.isEmpty else { return nil }
        guard members["0"]?.double != nil else { return .object(members) }
        var numbers: [Double] = []
        for place in 0..<members.count {
            guard let number = members["\(place)"]?.double else { return .object(members) }
            numbers.append(number)
        }
        return .vector(numbers)
    }

    private func check(_ levels: Int) throws(Fault) {
        guard case .object(let members) = self else { return }
        guard levels > 0 else { throw Fault(.badData, "Invalid data; there are more than \(Self.deepest) levels.") }
        for (name, node) in members {
            guard NodePath.isName(name) else { throw Fault(.badData, "Invalid data; keys must be non-empty strings and can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\"") }
            try node.check(levels - 1)
        }
    }

    public var double: Double? {
        switch self {
        case .integer(let found): Double(found)
        case .number(let found): found
        default: nil
        }
    }

    /// A whole number, or text that is one.
    public var whole: Int? {
        switch self {
        case .integer(let found): found
        case .number(let found): Int(exactly: found)
        case .text(let found): Int(found)
        default: nil
        }
    }

    /// What is below by one name.
    public subscript(name: String) -> Node? {
        switch self {
        case .object(let members): members[name]
        case .vector(let numbers): Int(name).flatMap { numbers.indices.contains($0) && "\($0)" == name ? .number(numbers[$0]) : nil }
        default: nil
        }
    }

    /// About how many bytes it takes.
    public var size: Int {
        switch self {
        case .bool, .integer, .number: 8
        case .text(let found): 16 + found.utf8.count
        case .vector(let numbers): 8 * numbers.count
        case .object(let members): members.reduce(0) { $0 + 32 + $1.key.utf8.count + $1.value.size }
        }
    }

    /// By name.
    var members: [String: Node] {
        switch self {
        case .object(let members): members
        case .vector(let numbers): Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ("\($0)", .number($1)) })
        default: [:]
        }
    }
}

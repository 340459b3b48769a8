internal import Support

/// A value of a database in the form of Firebase's Realtime Database. What is null, and what is empty, is not there.
package indirect enum Node: Sendable, Equatable {
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    /// Numbers by place, from 0, without gaps: a list, or an object whose names are the places.
    case vector([Double])
    case object([String: Node])

    /// Levels below the root, as Firebase has it.
    package static let deepest = 32

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

    func check(_ levels: Int) throws(Fault) {
        guard case .object(let members) = self else { return }
        guard levels > 0 else { throw Fault(.badData, "Invalid data; there are more than \(Self.deepest) levels.") }
        for (name, node) in members {
            guard NodePath.isName(name) else {
                throw Fault(
                    .badData, "Invalid data; keys must be non-empty strings and can't contain \".\", \"#\", \"$\", \"/\", \"[\", or \"]\"")
            }
            try node.check(levels - 1)
        }
    }

    package var double: Double? {
        switch self {
        case .integer(let found): Double(found)
        case .number(let found): found
        default: nil
        }
    }

    /// A whole number, or text that is one.
    package var whole: Int? {
        switch self {
        case .integer(let found): found
        case .number(let found): Int(exactly: found)
        case .text(let found): Int(found)
        default: nil
        }
    }

    /// What is below by one name.
    package subscript(name: String) -> Node? {
        switch self {
        case .object(let members): members[name]
        case .vector(let numbers): Int(name).flatMap { numbers.indices.contains($0) && "\($0)" == name ? .number(numbers[$0]) : nil }
        default: nil
        }
    }

    /// About how many bytes it takes.
    package var size: Int {
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

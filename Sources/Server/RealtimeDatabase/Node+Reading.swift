internal import JSONReading
package import Support

extension Node {
    /// nil for null.
    ///
    /// - Throws: `.badData` for what is no JSON or no tree: numbers beyond a double, names with . $ # [ ] /, more than 32 levels.
    package static func parse(_ bytes: [UInt8]) throws(Fault) -> Node? {
        guard let found = NodeReader.read(bytes) else {
            throw Fault(.badData, "Invalid data; couldn't parse JSON object, array, or value.")
        }
        try found.node?.check(Self.deepest)
        return found.node
    }

    /// What a PATCH changes: each path is written as a whole, nil removes.
    ///
    /// - Throws: `.badData` for what is no object.
    package static func updates(_ bytes: [UInt8]) throws(Fault) -> [(path: NodePath, node: Node?)] {
        guard let members = NodeReader.read(bytes)?.members else { throw Fault(.badData, "Invalid data; couldn't parse JSON object.") }
        var changes: [(path: NodePath, node: Node?)] = []
        for (name, node) in members {
            let path = try NodePath(name)
            guard !path.names.isEmpty else { throw Fault(.badData, "Invalid data; keys must be non-empty strings") }
            try node?.check(deepest - path.names.count)
            changes.append((path, node))
        }
        return changes
    }
}

/// Makes nodes of what a JSON document has.
private struct NodeReader {
    /// An object or list that has not ended; null is a value until then.
    private struct Open {
        var name: String
        var isList: Bool
        var members: [String: Node?] = [:]
    }

    private var open: [Open] = []
    private var found: (node: Node?, members: [String: Node?]?)?

    /// The document, and its members where it is an object; nil where it is none.
    static func read(_ bytes: [UInt8]) -> (node: Node?, members: [String: Node?]?)? {
        var reader = NodeReader()
        return JSONDocument.read(bytes) { reader.take($0, $1) } ? reader.found : nil
    }

    private mutating func take(_ name: String, _ part: JSONPart) {
        switch part {
        case .list, .object: open.append(Open(name: name, isList: part == .list))
        case .end:
            guard let ended = open.popLast() else { return }
            add(Node.object(of: ended.members.compactMapValues(\.self)), as: ended.name)
            if open.isEmpty, !ended.isList { found?.members = ended.members }
        case .bool(let flag): add(.bool(flag), as: name)
        case .integer(let number): add(Int(exactly: number).map { .integer($0) } ?? .number(Double(number)), as: name)
        case .number(let number): add(Int(exactly: number).map { .integer($0) } ?? .number(number), as: name)
        case .text(let text): add(.text(text), as: name)
        case .numbers(let numbers): add(.vector(numbers), as: name)
        case .null: add(nil, as: name)
        }
    }

    private mutating func add(_ node: Node?, as name: String) {
        guard let last = open.indices.last else {
            found = (node, nil)
            return
        }
        open[last].members.updateValue(node, forKey: open[last].isList ? "\(open[last].members.count)" : name)
    }
}

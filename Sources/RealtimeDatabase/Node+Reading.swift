internal import CJSON
public import Support

extension Node {
    /// nil for null.
    ///
    /// Errors: `.badData` for what is no JSON or no tree: numbers beyond a double, names with . $ # [ ] /, more than 32 levels.
    public static func parse(_ bytes: [UInt8]) throws(Fault) -> Node? {
        guard let found = NodeReader.read(bytes) else { throw Fault(.badData, "Invalid data; couldn't parse JSON object, array, or value.") }
        try found.node?.check(Self.deepest)
        return found.node
    }

    /// What a PATCH changes: each path is written as a whole, nil removes.
    ///
    /// Errors: `.badData` for what is no object.
    public static func updates(_ bytes: [UInt8]) throws(Fault) -> [(path: NodePath, node: Node?)] {
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
private final class NodeReader {
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
        let reader = NodeReader()
        let isRead = unsafe bytes.withUnsafeBytes { bytes in
            unsafe gw_json_read(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
                { context, value in
                    guard let context = unsafe context, let value = unsafe value else { return }
                    unsafe Unmanaged<NodeReader>.fromOpaque(context).takeUnretainedValue().take(value.pointee)
                }, Unmanaged.passUnretained(reader).toOpaque())
        }
        return isRead ? reader.found : nil
    }

    private func take(_ value: gw_json_value) {
        let name = unsafe value.name.map { unsafe Self.text($0, value.name_length) } ?? ""
        switch unsafe value.kind {
        case GW_JSON_LIST, GW_JSON_OBJECT: open.append(Open(name: name, isList: unsafe value.kind == GW_JSON_LIST))
        case GW_JSON_END:
            guard let ended = open.popLast() else { return }
            add(Node.object(of: ended.members.compactMapValues(\.self)), as: ended.name)
            if open.isEmpty, !ended.isList { found?.members = ended.members }
        case GW_JSON_BOOLEAN: add(.bool(unsafe value.integer != 0), as: name)
        case GW_JSON_INTEGER: add(unsafe Int(exactly: value.integer).map { .integer($0) } ?? .number(Double(value.integer)), as: name)
        case GW_JSON_NUMBER: add(unsafe Int(exactly: value.number).map { .integer($0) } ?? .number(value.number), as: name)
        case GW_JSON_TEXT: add(.text(unsafe Self.text(value.text, value.length)), as: name)
        case GW_JSON_NUMBERS: add(.vector(unsafe Array(UnsafeBufferPointer(start: value.numbers, count: value.length))), as: name)
        default: add(nil, as: name)
        }
    }

    private func add(_ node: Node?, as name: String) {
        guard let last = open.indices.last else {
            found = (node, nil)
            return
        }
        open[last].members.updateValue(node, forKey: open[last].isList ? "\(open[last].members.count)" : name)
    }

    private static func text(_ start: UnsafePointer<CChar>, _ length: Int) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
}

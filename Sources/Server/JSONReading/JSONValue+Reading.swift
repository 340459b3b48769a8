package import Support

extension JSONValue {
    // What writes JSON takes no more.
    private static let deepest = 500

    /// A document, in a fraction of the time that ``init(parsing:)`` takes.
    ///
    /// - Parameter names: the members of the outermost object that are wanted; nil for all.
    /// - Returns: nil for what is no JSON, or has too many levels.
    package init?(reading bytes: [UInt8], only names: [String]? = nil) {
        var builder = Builder(names: names)
        guard JSONDocument.read(bytes, { builder.take($0, $1) }), let found = builder.found, !builder.isTooDeep else { return nil }
        self = found
    }

    private struct Builder {
        let names: [String]?
        var found: JSONValue?
        var isTooDeep = false
        /// An object or list that has not ended.
        private struct Open {
            var name: String
            var isList: Bool
            var values: [JSONValue] = []
            var members: [String: JSONValue] = [:]
        }

        private var open: [Open] = []
        // Levels within a member that is not wanted.
        private var skipped = 0

        init(names: [String]?) { self.names = names }

        mutating func take(_ name: String, _ part: JSONPart) {
            if skipped > 0 {
                if part == .end { skipped -= 1 } else if part == .list || part == .object { skipped += 1 }
                // Whoever reads the same bytes with another reader gets no further than this one.
                if open.count + skipped > JSONValue.deepest { isTooDeep = true }
                return
            }
            if open.count == 1, part != .end, let names, !names.contains(name) {
                if part == .list || part == .object { skipped = 1 }
                return
            }
            switch part {
            case .list, .object:
                if open.count >= JSONValue.deepest { isTooDeep = true }
                open.append(Open(name: name, isList: part == .list))
            case .end:
                guard let ended = open.popLast() else { return }
                add(ended.isList ? .array(ended.values) : .object(ended.members), as: ended.name)
            case .null: add(.null, as: name)
            case .bool(let found): add(.bool(found), as: name)
            case .integer(let found): add(Int(exactly: found).map { .integer($0) } ?? .number(Double(found)), as: name)
            case .number(let found): add(.number(found), as: name)
            case .text(let found): add(.string(found), as: name)
            case .numbers(let found):
                add(.array(found.map { number in Int(exactly: number).map { .integer($0) } ?? .number(number) }), as: name)
            }
        }

        private mutating func add(_ value: JSONValue, as name: String) {
            guard let last = open.indices.last else {
                found = value
                return
            }
            if open[last].isList { open[last].values.append(value) } else { open[last].members[name] = value }
        }
    }
}

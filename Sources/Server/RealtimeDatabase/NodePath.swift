package import Support

/// Where a value is: names from the root on.
package struct NodePath: Sendable, Hashable {
    package var names: [String]

    package init(_ names: [String] = []) { self.names = names }

    /// As in an address, without ".json": `users/alice/gradients`.
    ///
    /// - Throws: `.badData` for names that cannot be.
    package init(_ text: some StringProtocol) throws(Fault) {
        names = text.split(separator: "/" as Character).map { String($0) }
        guard names.count <= Node.deepest, names.allSatisfy(Self.isName) else { throw Fault(.badData, "Invalid path: \(text.prefix(100))") }
    }

    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 768
            && name.unicodeScalars.allSatisfy { $0.value > 31 && $0.value != 127 && !".#$/[]".unicodeScalars.contains($0) }
    }

    /// The rest of this path below another; nil where it is not below it.
    func below(_ other: NodePath) -> NodePath? {
        names.starts(with: other.names) ? NodePath(Array(names.dropFirst(other.names.count))) : nil
    }

    /// As events name it, from the root.
    package var text: String { "/" + names.joined(separator: "/") }
}

extension Node {
    /// What is at a path; nil where nothing is.
    package func at(_ path: some Collection<String>) -> Node? {
        guard let name = path.first else { return self }
        return self[name]?.at(path.dropFirst())
    }

    /// The same tree with another value at a path; nil when nothing is left.
    package static func replacing(_ node: Node?, at path: some Collection<String>, with value: Node?) -> Node? {
        guard let name = path.first else { return value }
        var members = node?.members ?? [:]
        members[name] = replacing(members[name], at: path.dropFirst(), with: value)
        return object(of: members)
    }
}

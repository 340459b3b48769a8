/// The whole database. Its first two levels are kept apart, so that a write below one of many users copies none of the others.
package struct DatabaseTree: Sendable {
    private var roots: [String: [String: Node]] = [:]

    package init() {}

    package subscript(path: NodePath) -> Node? {
        get {
            switch path.names.count {
            case 0: Node.object(of: roots.compactMapValues { Node.object(of: $0) })
            case 1: roots[path.names[0]].flatMap { Node.object(of: $0) }
            default: roots[path.names[0]]?[path.names[1]]?.at(path.names[2...])
            }
        }
        set {
            switch path.names.count {
            case 0: roots = (newValue?.members ?? [:]).mapValues(\.members)
            case 1: roots[path.names[0]] = newValue.map(\.members)
            default:
                let child = Node.replacing(roots[path.names[0]]?[path.names[1]], at: path.names[2...], with: newValue)
                roots[path.names[0], default: [:]][path.names[1]] = child
            }
        }
    }

    /// How many names there are below a first one.
    package func count(below name: String) -> Int { roots[name]?.count ?? 0 }
}

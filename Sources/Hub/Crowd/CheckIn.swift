internal import CrowdLearning
internal import RealtimeDatabase
internal import Support

/// A user's node as the server reads it, whatever generation of client wrote it.
struct CheckIn {
    /// "gradientProcessed", or what the first generation called it.
    let flag: String
    /// Whether the device waits for the server.
    let isWaiting: Bool
    let number: Int?
    let weightIteration: Int?
    let parameterIteration: Int?
    let vector: [Double]?

    static let flags = ["gradientProcessed", "readByServer"]

    /// nil where there is no node with a flag.
    init?(_ node: Node?) {
        guard let node, let flag = Self.flags.first(where: { node[$0] != nil }) else { return nil }
        self.flag = flag
        isWaiting = node[flag] == .bool(false)
        (number, weightIteration, parameterIteration) = (node["gradIter"]?.whole, node["weightIter"]?.whole, node["paramIter"]?.whole)
        if case .vector(let found)? = node["gradients"] { vector = found } else { vector = node["gradients"].flatMap(Self.numbers) }
    }

    // Numbers as text: nobody is known to send them, and 2016's clients did so with all others.
    private static func numbers(_ node: Node) -> [Double]? {
        guard case .object(let members) = node else { return nil }
        var found: [Double] = []
        for place in 0..<members.count {
            guard case .text(let text)? = members["\(place)"], let number = Double(text) else { return nil }
            found.append(number)
        }
        return found
    }

    /// The node once the server is done with it. What the device sent is not kept.
    func acknowledged(_ node: Node, isStale: Bool) -> Node? {
        guard case .object(var members) = node else { return node }
        members[flag] = .bool(true)
        members["gradients"] = nil
        members["stale"] = isStale ? .bool(true) : nil
        return .object(members)
    }
}

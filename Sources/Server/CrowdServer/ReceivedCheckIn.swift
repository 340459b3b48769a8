internal import CrowdLearning
internal import RealtimeDatabase

/// A user's node as the server reads it, whatever generation of client wrote it.
struct ReceivedCheckIn {
    let checkIn: CheckIn
    /// What the client calls the flag.
    let flag: String
    /// Whether the device waits for the server.
    let isWaiting: Bool

    /// nil where there is no node with a flag.
    init?(_ node: Node?) {
        guard let node, let flag = CheckIn.Name.flags.first(where: { node[$0] != nil }) else { return nil }
        self.flag = flag
        isWaiting = node[flag] == .bool(false)
        let vector: [Double]? =
            if case .vector(let found)? = node[CheckIn.Name.vector] { found } else { node[CheckIn.Name.vector].flatMap(Self.numbers) }
        checkIn = CheckIn(
            vector: vector, number: node[CheckIn.Name.number]?.whole, weightIteration: node[CheckIn.Name.weightIteration]?.whole,
            parameterIteration: node[CheckIn.Name.parameterIteration]?.whole)
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
        members[CheckIn.Name.vector] = nil
        members[CheckIn.Name.stale] = isStale ? .bool(true) : nil
        return .object(members)
    }
}

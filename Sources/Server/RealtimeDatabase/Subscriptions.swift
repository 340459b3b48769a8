/// Who gets changes below which path: event streams.
package struct Subscriptions: Sendable {
    private struct Subscriber: Sendable {
        var path: NodePath
        var receive: @Sendable ([UInt8]) -> Void
        var end: @Sendable () -> Void
    }

    // By the path's first two names: a change looks at few of many.
    private var subscribers: [[String]: [Int: Subscriber]] = [:]
    private var next = 0

    package init() {}

    package var count: Int { subscribers.values.reduce(0) { $0 + $1.count } }

    /// - Parameters:
    ///   - receive: gets each event as it goes over the wire; the first is what is there now.
    ///   - end: is called where no more come, and the subscriber should connect anew.
    /// - Returns: a number to end it with.
    package mutating func add(
        _ path: NodePath, of tree: DatabaseTree, _ receive: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void = {}
    ) -> Int {
        next += 1
        subscribers[Array(path.names.prefix(2)), default: [:]][next] = Subscriber(path: path, receive: receive, end: end)
        receive(Self.event("put", NodePath(), tree[path]))
        return next
    }

    package mutating func remove(_ number: Int, of path: NodePath) {
        let key = Array(path.names.prefix(2))
        subscribers[key]?[number] = nil
        if subscribers[key]?.isEmpty == true { subscribers[key] = nil }
    }

    /// Ends all of them.
    package mutating func endAll() {
        for subscriber in subscribers.values.flatMap(\.values) { subscriber.end() }
        subscribers = [:]
    }

    /// Tells of what is at a path now.
    package func tell(_ path: NodePath, of tree: DatabaseTree) {
        guard !subscribers.isEmpty else { return }
        var keys = (0...min(2, path.names.count)).map { Array(path.names.prefix($0)) }
        if path.names.count < 2 { keys += subscribers.keys.filter { $0.count > path.names.count && $0.starts(with: path.names) } }
        var made: [NodePath: [UInt8]] = [:]
        for key in keys {
            for subscriber in (subscribers[key] ?? [:]).values {
                if let below = path.below(subscriber.path) {
                    let event = made[below] ?? Self.event("put", below, tree[path])
                    made[below] = event
                    subscriber.receive(event)
                } else if subscriber.path.below(path) != nil {
                    subscriber.receive(Self.event("put", NodePath(), tree[subscriber.path]))
                }
            }
        }
    }

    /// Keeps connections open that are silent.
    package static let keepAlive = Array("event: keep-alive\ndata: null\n\n".utf8)

    package static func event(_ name: String, _ path: NodePath, _ node: Node?) -> [UInt8] {
        // Names of paths have no quotes or control characters that JSON would not have as they are, but backslashes.
        let place = path.text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return Array("event: \(name)\ndata: {\"path\":\"\(String(place))\",\"data\":".utf8) + Node.json(node) + Array("}\n\n".utf8)
    }
}

internal import CrowdLearning
package import HubStore
package import Logging
package import RealtimeDatabase
package import Support

/// The crowd's database and its server: what devices write is taken one after the other, and acknowledged once it is in the file.
///
/// Everything is in memory; changes of many devices go to the file together. New weights and acknowledgements are shown only after that, so
/// that after a crash nothing that anybody saw is undone.
package actor CrowdKeeper {
    private let store: HubStore
    private let log: Logger
    private var number: Int?
    /// Of several servers that share a database one has the crowd.
    package private(set) var isKeeper = false
    // Since it took it: which time that is, and what to save with.
    private var tenure: (term: Int, keeper: String)?
    private var settings = CrowdSettings()
    private var server: CrowdOptimiser?
    private var judge: CrowdJudge?
    private var tree = DatabaseTree()
    private var subscriptions = Subscriptions()

    // What is not in the file yet: whose nodes, which of them are acknowledged with it, whether the server changed.
    private var touched: Set<String> = []
    private var acknowledged: [String: Node] = [:]
    private var isMoved = false
    // Each user's check-in that counted last.
    private var taken: [String: String] = [:]
    private var shares = FairShare()
    private var saving: Task<Fault?, Never>?
    private var next: Task<Fault?, Never>?

    package init(_ store: HubStore, log: Logger) { (self.store, self.log) = (store, log) }

    /// Loads the crowd when one was started or stopped, by this process or another, and where the server that had it is gone: call it every
    /// second.
    ///
    /// - Throws: those of the file; a crowd that cannot be read is logged once, and none learns then.
    package func settle() async throws(Fault) {
        guard let term = await store.leads("crowd") else { return leave() }
        if term != tenure?.term {
            leave()
            tenure = (term, try await store.takeCrowd())
        }
        let present = try await store.crowdNumber()
        guard present != number || !isKeeper else { return }
        (number, server, judge) = (present, nil, nil)
        clear()
        do throws(Fault) {
            try await load()
            isKeeper = true
        } catch {
            // It is tried again, but for a crowd that cannot be read.
            if error.code == .badData { isKeeper = true } else { number = nil }
            throw error
        }
    }

    private func load() async throws(Fault) {
        guard let saved = try await store.crowd() else { return }
        let settings = try CrowdSettings(text: saved.settings), server = try settings.server(from: saved.state)
        let users = try await store.crowdUsers()
        let judge = try saved.test.map { (bytes) throws(Fault) in CrowdJudge(try CrowdData(bytes: bytes), server.model, store, log: log) }
        // Another one may have come while this one was read.
        guard number == saved.number else { return }
        (self.settings, self.server, self.judge) = (settings, server, judge)
        for user in users {
            tree[NodePath(["users", user.uid])] = try user.node.flatMap { (bytes) throws(Fault) in try Node.parse(bytes) }
            taken[user.uid] = user.taken
        }
        tree[Self.parametersPath] = try Node.parse(settings.published.bytes)
        publish(server)
        subscriptions.tell(NodePath(), of: tree)
        judge?.look(at: server)
    }

    // Another server goes on with what was acknowledged.
    private func leave() {
        guard tenure != nil else { return }
        (isKeeper, tenure) = (false, nil)
        (number, server, judge) = (nil, nil, nil)
        empty()
        subscriptions.endAll()
    }

    private func empty() {
        (tree, touched, acknowledged, taken, isMoved) = (DatabaseTree(), [], [:], [:], false)
        shares = FairShare()
    }

    /// Forgets users whom another program removed.
    package func forgetRemoved() async throws(Fault) {
        guard isKeeper else { return }
        var known = Set(taken.keys)
        if case .object(let nodes)? = tree[NodePath(["users"])] { known.formUnion(nodes.keys) }
        for uid in try await store.removed(of: Array(known)) { forget(uid: uid) }
    }

    /// - Throws: `.temporary` where another server of the same database has the crowd.
    package func requireKeeper() throws(Fault) {
        guard isKeeper else { throw Fault(.temporary, "the crowd is not at this server just now") }
    }

    private static let parametersPath = NodePath(["parameters"]), weightsPath = NodePath(["trainingWeights"])

    private func clear() {
        empty()
        subscriptions.tell(NodePath(), of: tree)
    }

    /// Whether anybody may make an account, at whichever server the crowd is.
    package func isOpen() async throws(Fault) -> Bool {
        if isKeeper { return server != nil && settings.isOpen }
        return try await store.crowdSettings().map { (text) throws(Fault) in try CrowdSettings(text: text).isOpen } ?? false
    }

    /// Bytes that a write may have.
    package var bodyLimit: Int { 1 << 16 + 32 * (server?.model.length ?? 0) }

    package func read(_ path: NodePath) -> Node? { tree[path] }

    /// How it goes, for people.
    package func report() async throws(Fault) -> JSONValue {
        try requireKeeper()
        guard let server, let number else { return ["running": false] }
        let errors = try await store.crowdErrors(), parameters = server.parameters
        // What the hub cannot see is whether samples are normalised: it is said beside the number.
        let promise = PrivacyPromise(
            try Noise(named: parameters.noise, scale: parameters.noiseScale), server.model, isNormalised: true, batch: parameters.batch,
            sendsWeights: parameters.localUpdates > 0)
        var epsilon: Double?, reason: String?
        switch promise {
        case .holds(let found, _): epsilon = found
        case .none(let why): reason = why
        }
        return [
            "running": true, "number": .integer(number), "parameters": parameters.json, "iteration": .integer(server.iteration),
            "taken": .integer(server.taken),
            "participants": .integer(tree.count(below: "users")), "length": .integer(server.model.length), "done": .bool(server.isDone),
            "labels": .array(settings.labels.map { .string($0) }), "epsilon_per_epoch": epsilon.map { .number($0) } ?? .null,
            "no_promise": JSONValue(reason) ?? .null,
            "errors": .array(
                errors.map {
                    [
                        "iteration": .integer($0.iteration), "taken": .integer($0.taken), "error": .number($0.error),
                        "at": .string(ISOTime.text($0.at)),
                    ]
                }),
        ]
    }

    /// A user who was removed leaves nothing in the tree; what already moved the weights stays in them.
    package func forget(uid: String) {
        tree[NodePath(["users", uid])] = nil
        (taken[uid], acknowledged[uid]) = (nil, nil)
        touched.remove(uid)
        subscriptions.tell(NodePath(["users", uid]), of: tree)
    }

    package func subscribe(
        _ path: NodePath, _ receive: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void
    ) -> Int {
        subscriptions.add(path, of: tree, receive, end: end)
    }

    package func unsubscribe(_ number: Int, of path: NodePath) { subscriptions.remove(number, of: path) }

    /// Writes at or below a user's node, and takes what the device sends with it.
    ///
    /// - Parameters:
    ///   - base: the path that was written to.
    ///   - changes: by path, at it or below; nil removes. All of them or none.
    ///   - tag: of what must be there now; nil for anything.
    /// - Throws: `.badData` when the crowd cannot use what the device sent: nothing is written then; `.failure` with
    ///   ``Fault/Condition/changedMeanwhile`` when the tag is another one;
    ///   those of the file.
    package func write(
        _ base: NodePath, _ changes: [(path: NodePath, node: Node?)], uid: String, onlyIf tag: String? = nil
    ) async throws(Fault) {
        let place = NodePath(["users", uid]), began = tenure?.term
        if let tag, Node.tag(tree[base]) != tag { throw Fault(.failure, "ETag mismatch", condition: .changedMeanwhile) }
        var node = tree[place]
        for (path, value) in changes { node = Node.replacing(node, at: path.names.dropFirst(2), with: value) }
        guard let length = server?.model.length else { throw Fault(.temporary, "no crowd learns here just now") }
        // A user's place is for check-ins, in any of their shapes.
        guard node?.size ?? 0 <= 4096 + 64 * length else { throw Fault(.badData, "there is too much below \(place.text)") }
        acknowledged[uid] = try node.flatMap { (node) throws(Fault) in try take(node, uid) }
        tree[place] = node
        touched.insert(uid)
        subscriptions.tell(base, of: tree)
        if let fault = await saved() { throw fault }
        // What was to be saved went with what this server had.
        guard tenure?.term == began else { throw Fault(.temporary, "the crowd is not at this server any more") }
    }

    // The node once the server is done with it; nil where nothing is to be done, or the device is to wait.
    private func take(_ node: Node, _ uid: String) throws(Fault) -> Node? {
        guard let received = ReceivedCheckIn(node), received.isWaiting else { return nil }
        let checkIn = received.checkIn
        // Android says hello so; and what was taken before is not taken twice.
        guard let vector = checkIn.vector, checkIn.number != 0, taken[uid] != checkIn.mark else {
            return received.acknowledged(node, isStale: false)
        }
        guard let weightIteration = checkIn.weightIteration else { throw Fault(.badData, "weightIter is missing, or no number") }
        guard var server else { return nil }
        guard !settings.clips || shares.allows(uid) else { return received.acknowledged(node, isStale: true) }
        // One owner: a step copies no weights.
        self.server = nil
        let verdict = server.take(
            vector, weightIteration: weightIteration, parameterIteration: checkIn.parameterIteration ?? server.parameters.iteration,
            isOfMany: shares.isOfMany)
        self.server = server
        switch verdict {
        case .refused(let reason): throw Fault(.badData, reason)
        case .stale: return settings.ignoresStale ? nil : received.acknowledged(node, isStale: true)
        case .taken(let moved):
            isMoved = true
            taken[uid] = checkIn.mark
            shares.note(uid)
            if moved { judge?.look(at: server) }
            return received.acknowledged(node, isStale: false)
        }
    }

    // Everybody who writes while the file is busy goes into the next transaction together.
    private func saved() async -> Fault? {
        if let next { return await next.value }
        let before = saving
        let task = Task { () -> Fault? in
            _ = await before?.value
            return await save()
        }
        next = task
        return await task.value
    }

    private func save() async -> Fault? {
        (saving, next) = (next, nil)
        guard let number, let server, let keeper = tenure?.keeper else { return Fault(.temporary, "no crowd learns here just now") }
        let (users, answers, moved) = (touched, acknowledged, isMoved)
        (touched, acknowledged, isMoved) = ([], [:], false)
        let nodes = users.map { uid in
            CrowdUser(uid: uid, node: (answers[uid] ?? tree[NodePath(["users", uid])]).map { Node.json($0) }, taken: taken[uid])
        }
        do throws(Fault) {
            // Another crowd was started meanwhile: what was for the old one is of no use.
            guard try await store.save(crowd: number, keeper: keeper, state: moved ? server.state : nil, users: nodes) else { return nil }
        } catch {
            log.error("\(error)")
            // What is in memory now was loaded after it.
            guard self.number == number, tenure?.keeper == keeper else { return error }
            // It stays in memory, and goes with the next one.
            touched.formUnion(users)
            acknowledged.merge(answers) { new, _ in new }
            isMoved = isMoved || moved
            return error
        }
        guard self.number == number, tenure?.keeper == keeper else { return nil }
        for (uid, answer) in answers where ReceivedCheckIn(tree[NodePath(["users", uid])])?.isWaiting == true && acknowledged[uid] == nil {
            tree[NodePath(["users", uid])] = answer
            subscriptions.tell(NodePath(["users", uid]), of: tree)
        }
        if moved, tree[NodePath(["trainingWeights", "iteration"])]?.whole != server.iteration { publish(server) }
        return nil
    }

    private func publish(_ server: CrowdOptimiser) {
        let weights: Node =
            settings.isNested
            ? .object(["0": .vector(server.weights), "1": .vector([Double(server.iteration), -1])]) : .vector(server.weights)
        tree[Self.weightsPath] = .object(["iteration": .integer(server.iteration), "weights": weights])
        subscriptions.tell(Self.weightsPath, of: tree)
    }
}

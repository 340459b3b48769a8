internal import HubStore

/// What each channel has to send, and has taken.
actor AlertQueue {
    /// What a channel that is away can have missed, at most.
    static let most = 1000

    private var waiting: [[Alert]]
    private var taken: [Set<Alert>]
    // Taken by a channel, and not written down yet.
    private var unwritten: [Alert] = []
    // Written down as told, while a channel has it to send or the database may still have it.
    private var told: Set<Alert> = []
    // What channels missed, as it is written down.
    private var kept: [[Alert]]
    // Which beginning this is; nil while another server tells.
    private var turn: Int?
    private var turns = 0

    init(channels: Int) {
        (waiting, kept) = (Array(repeating: [], count: channels), Array(repeating: [], count: channels))
        taken = Array(repeating: [], count: channels)
    }

    /// - Parameter found: all that nobody was told of, as the database has it.
    func offer(_ found: [Alert]) {
        guard turn != nil else { return }
        let present = Set(found)
        for index in waiting.indices {
            // What was over before anybody was told of it is told to nobody.
            waiting[index].removeAll { !present.contains($0) && !told.contains($0) && !unwritten.contains($0) }
            let known = taken[index].union(waiting[index]).union(told), room = max(0, Self.most - waiting[index].count)
            waiting[index] += found.lazy.filter { !known.contains($0) }.prefix(room)
            taken[index].formIntersection(present)
        }
        told.formIntersection(waiting.reduce(into: present) { $0.formUnion($1) })
    }

    /// What a channel is to send next, and for ``took(_:_:_:)``.
    func next(_ channel: Int) -> (alerts: [Alert], turn: Int?) { (Array(waiting[channel].prefix(AlertService.most)), turn) }

    func took(_ alerts: [Alert], _ channel: Int, _ turn: Int?) {
        // What was on its way when another server began is told by that one, perhaps again.
        guard let turn, turn == self.turn else { return }
        let these = Set(alerts)
        waiting[channel].removeAll { these.contains($0) }
        taken[channel].formUnion(these)
        unwritten += alerts.filter { !told.contains($0) && !unwritten.contains($0) }
    }

    /// What is to be written down.
    struct Changes: Equatable {
        var told: [Alert]
        /// What each channel has not told of what others have.
        var missed: [[Alert]]
        fileprivate var turn: Int
    }

    /// nil where nothing is.
    func changes() -> Changes? {
        guard let turn else { return nil }
        let all = told.union(unwritten), missed = waiting.map { $0.filter { all.contains($0) } }
        return unwritten.isEmpty && missed == kept ? nil : Changes(told: unwritten, missed: missed, turn: turn)
    }

    func wrote(_ changes: Changes) {
        guard changes.turn == turn else { return }
        told.formUnion(changes.told)
        unwritten.removeAll { changes.told.contains($0) }
        kept = changes.missed
    }

    /// This server does not tell any more.
    func end() {
        for index in waiting.indices { (waiting[index], taken[index], kept[index]) = ([], [], []) }
        (unwritten, told, turn) = ([], [], nil)
    }

    /// This server begins to tell.
    ///
    /// - Parameter missed: what was written down of each channel.
    func begin(missed: [[Alert]]) {
        turns += 1
        turn = turns
        (waiting, kept, unwritten) = (missed, missed, [])
        taken = Array(repeating: [], count: missed.count)
        told = missed.reduce(into: []) { $0.formUnion($1) }
    }
}

internal import HubStore

/// What each channel has to send, and has taken. It ends with the server; what nobody was told yet is in the database.
actor AlertQueue {
    /// What a channel that is away can have missed, at most.
    static let most = 1000

    private var waiting: [[Alert]]
    private var taken: [Set<Alert>]
    // Written down as told, while a channel has it to send or the database may still have it.
    private var told: Set<Alert> = []

    init(channels: Int) {
        waiting = Array(repeating: [], count: channels)
        taken = Array(repeating: [], count: channels)
    }

    /// - Parameter found: all that nobody was told of, as the database has it.
    func offer(_ found: [Alert]) {
        let present = Set(found)
        for index in waiting.indices {
            // What was over before anybody was told of it is told to nobody.
            waiting[index].removeAll { !present.contains($0) && !told.contains($0) }
            let known = taken[index].union(waiting[index]).union(told), room = max(0, Self.most - waiting[index].count)
            waiting[index] += found.lazy.filter { !known.contains($0) }.prefix(room)
            taken[index].formIntersection(present)
        }
        told.formIntersection(waiting.reduce(into: present) { $0.formUnion($1) })
    }

    /// What a channel is to send next.
    func next(_ channel: Int) -> [Alert] { Array(waiting[channel].prefix(AlertService.most)) }

    /// - Returns: what nobody else has taken before, and is to be written down.
    func took(_ alerts: [Alert], _ channel: Int) -> [Alert] {
        let these = Set(alerts)
        waiting[channel].removeAll { these.contains($0) }
        taken[channel].formUnion(these)
        return alerts.filter { !told.contains($0) }
    }

    /// What was taken, but could not be written down.
    func unwritten(_ found: [Alert]) -> [Alert] {
        found.filter { alert in !told.contains(alert) && taken.contains { $0.contains(alert) } }
    }

    func wrote(_ alerts: [Alert]) { told.formUnion(alerts) }

    /// Another server tells now.
    func forget() {
        for index in waiting.indices { (waiting[index], taken[index]) = ([], []) }
        told = []
    }
}

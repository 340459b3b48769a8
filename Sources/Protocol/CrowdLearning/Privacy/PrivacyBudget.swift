internal import FoundationEssentials
package import Support

/// What a device has given away so far, on its disk. A sample is in one batch of each epoch, so that the epochs' largest epsilons add up,
/// not those of all check-ins (parallel composition; McSherry, SIGMOD 2009). A program that starts again starts an epoch: it never counts
/// too little.
package struct PrivacyBudget: Codable, Sendable, Equatable {
    /// Of the epochs that have ended.
    private var before = 0.0
    /// The largest of the present one.
    private var present = 0.0
    /// Chances that the promise fails, added up in the same way.
    private var deltaBefore = 0.0, deltaPresent = 0.0
    /// The present day (since 1970), and what was given away before it began; nil in files of earlier versions.
    private var day: Int64?, beforeDay: Double?
    package private(set) var checkIns = 0
    /// Check-ins about which nothing could be said: the sum is no promise then.
    package private(set) var unbounded = 0

    package var epsilon: Double { before + present }
    package var delta: Double { deltaBefore + deltaPresent }

    package init() {}

    /// - Throws: `.badData` for a file that is none.
    package static func read(_ path: String) throws(Fault) -> PrivacyBudget {
        guard Files.exists(path) else { return PrivacyBudget() }
        let bytes = try Files.read(path, limit: 1 << 16)
        guard let found = try? JSONDecoder().decode(PrivacyBudget.self, from: Data(bytes)),
            [found.before, found.present, found.epsilon, found.deltaBefore, found.deltaPresent].allSatisfy({ $0.isFinite && $0 >= 0 }),
            found.checkIns >= 0, found.unbounded >= 0
        else {
            // Nobody may begin anew by breaking a file.
            throw Fault(
                .badData, "\(path) does not say how much privacy is spent",
                remedy: "Put the file back; deleting it forgets what was given away.")
        }
        return found
    }

    /// - Throws: those of the disk.
    package func write(_ path: String) throws(Fault) {
        guard let bytes = try? JSONEncoder().encode(self) else { return }
        try Files.write(Array(bytes), to: path, isPrivate: true)
    }

    /// Counts a check-in; to be written down before it leaves.
    ///
    /// - Parameters:
    ///   - beginsEpoch: whether its samples may have been in the last one, too.
    ///   - limit: the user's; nil for none.
    ///   - perDay: the same for a day of UTC.
    ///   - now: seconds since 1970. A clock that is set back begins no day anew.
    /// - Throws: `.permission` when a limit would be passed, or when there is one and nothing can be said; `.temporary` for the day's.
    package mutating func spend(
        _ promise: PrivacyPromise, beginsEpoch: Bool, limit: Double?, perDay: Double? = nil, now: Int64 = 0
    ) throws(Fault) {
        var next = self
        if now / 86_400 > day ?? -1 { (next.day, next.beforeDay) = (now / 86_400, epsilon) }
        if beginsEpoch {
            (next.before, next.present) = (before + present, 0)
            (next.deltaBefore, next.deltaPresent) = (deltaBefore + deltaPresent, 0)
        }
        next.checkIns += 1
        switch promise {
        case .none(let reason):
            if let limit {
                throw Fault(
                    .permission, "nothing is sent: epsilon is limited to \(limit), and none can be stated: \(reason)",
                    remedy: "Take part where the noise protects, or without a limit.")
            }
            next.unbounded += 1
        case .holds(let epsilon, let delta):
            next.present = max(next.present, epsilon)
            next.deltaPresent = max(next.deltaPresent, delta)
            if let perDay, next.epsilon - (next.beforeDay ?? 0) > perDay {
                throw Fault(
                    .temporary, "no more is sent today: epsilon would grow by more than \(Decimals.text(perDay, places: 3))",
                    remedy: "It goes on tomorrow, or with another crowd.epsilon_per_day.", condition: .daySpent)
            }
            if let limit, next.epsilon > limit {
                throw Fault(
                    .permission,
                    """
                    nothing more is sent: epsilon would be \(Decimals.text(next.epsilon, places: 3)), and \
                    \(Decimals.text(limit, places: 3)) is the limit
                    """,
                    remedy: "More may be given away only by its owner: crowd.epsilon_limit.")
            }
        }
        self = next
    }
}

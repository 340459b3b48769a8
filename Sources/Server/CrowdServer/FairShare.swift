/// How many of the latest check-ins that counted may be one user's: twice what the others have. Whoever sends faster than all others would
/// else outvote them.
struct FairShare: Sendable {
    private var latest: [String] = []
    private var next = 0
    private var counts: [String: Int] = [:]

    private static let window = 200, fewest = 4, many = 8

    /// Whether the latest check-ins are of so many users that most of them say something of one.
    var isOfMany: Bool { counts.count >= Self.many }

    /// Whether another one of the user may count.
    func allows(_ uid: String) -> Bool {
        guard counts.count >= Self.fewest else { return true }
        return counts[uid, default: 0] < max(Self.fewest, 2 * latest.count / counts.count)
    }

    mutating func note(_ uid: String) {
        counts[uid, default: 0] += 1
        guard latest.count == Self.window else { return latest.append(uid) }
        let gone = latest[next], left = counts[gone, default: 1] - 1
        counts[gone] = left > 0 ? left : nil
        latest[next] = uid
        next = (next + 1) % Self.window
    }
}

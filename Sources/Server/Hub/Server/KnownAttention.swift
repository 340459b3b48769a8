internal import HubStore
internal import Support
internal import Synchronization

/// The boards that need attention, looked for at most once in ten seconds: it reads every board's heartbeat.
final class KnownAttention: Sendable {
    typealias Found = (boards: [BoardInNeed], counts: [AttentionReason: Int], total: Int)

    private static let most = 500, age = 10.0
    private let known = Mutex<[String: (at: Double, found: Found)]>([:])

    /// - Parameters:
    ///   - limit: at most 500.
    ///   - now: seconds since 1970.
    func of(_ org: String, limit: Int, now: Double, in store: HubStore) async throws(Fault) -> Found {
        if let (at, found) = known.withLock({ $0[org] }), (0..<Self.age).contains(now - at) { return Self.first(limit, of: found) }
        let found = try await store.attention(org: org, now: now, limit: Self.most)
        known.withLock { known in
            if known.count >= 1000 { known.removeAll() }
            known[org] = (now, found)
        }
        return Self.first(limit, of: found)
    }

    private static func first(_ limit: Int, of found: Found) -> Found { (Array(found.boards.prefix(limit)), found.counts, found.total) }
}

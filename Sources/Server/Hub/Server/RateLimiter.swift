internal import Synchronization

/// So many requests a minute of each caller; what was not used adds up to a minute's worth.
final class RateLimiter: Sendable {
    private struct Bucket {
        var left: Double
        var at: Double
    }

    private let buckets = Mutex<[String: Bucket]>([:])

    /// Seconds to wait; nil when the caller may go on.
    ///
    /// - Parameters:
    ///   - perMinute: 0 for any number.
    ///   - now: seconds.
    func wait(_ caller: @autoclosure () -> String, perMinute: Int, now: Double) -> Int? {
        guard perMinute > 0 else { return nil }
        let most = Double(perMinute), caller = caller()
        return buckets.withLock { buckets in
            var bucket = buckets[caller] ?? Bucket(left: most, at: now)
            bucket.left = min(most, bucket.left + max(0, now - bucket.at) * most / 60)
            bucket.at = now
            defer { buckets[caller] = bucket }
            guard bucket.left >= 1 else { return max(1, Int((60 / most * (1 - bucket.left)).rounded(.up))) }
            bucket.left -= 1
            return nil
        }
    }

    /// Forgets callers that were quiet for a minute: they have all of it again.
    func tidy(_ now: Double) { buckets.withLock { $0 = $0.filter { now - $0.value.at < 60 } } }
}

internal import Support
internal import Synchronization
internal import Transport

/// The servers' time. Boards without a clock chip may be years off, and a signature that is 15 minutes off is refused.
final class ServerClock: Sendable {
    // Seconds to add to the board's clock.
    private let offset: Atomic<Int64>

    /// - Parameter offset: what it starts with, seconds.
    init(offset: Int64 = 0) { self.offset = Atomic(offset) }

    /// Seconds since 1970.
    var now: Int64 { SystemTime.wallSeconds + offset.load(ordering: .relaxed) }

    /// Whether an answer's Date is over a minute away from this clock, which then follows it.
    func follows(_ response: HTTPResponse) -> Bool {
        guard let date = response.headers["date"].flatMap(HTTPDate.seconds), abs(date - now) > 60 else { return false }
        let difference = date - now
        offset.add(difference, ordering: .relaxed)
        return true
    }

    /// From an answer's own Date to an HTTP date; nil when either is none.
    static func secondsUntil(_ text: String, by response: HTTPResponse) -> Double? {
        guard let end = HTTPDate.seconds(text), let now = response.headers["date"].flatMap(HTTPDate.seconds) else { return nil }
        return Double(end - now)
    }
}

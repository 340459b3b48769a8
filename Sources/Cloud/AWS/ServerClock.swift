internal import CCurl
internal import Support
internal import Synchronization

/// The servers' time. Boards without a clock chip may be years off, and a signature that is 15 minutes off is refused.
final class ServerClock: Sendable {
    // Seconds to add to the board's clock.
    private let offset: Atomic<Int64>

    /// - Parameter offset: what it starts with, seconds.
    init(offset: Int64 = 0) { self.offset = Atomic(offset) }

    /// Seconds since 1970.
    var now: Int64 { SystemTime.wall / 1_000_000_000 + offset.load(ordering: .relaxed) }

    /// Whether an answer's Date is over a minute away from this clock, which then follows it.
    func follows(_ response: HTTPResponse) -> Bool {
        guard let text = response.headers["date"] else { return false }
        let date = unsafe gw_http_date(text), difference = date - now
        guard date > 0, abs(difference) > 60 else { return false }
        offset.add(difference, ordering: .relaxed)
        return true
    }
}

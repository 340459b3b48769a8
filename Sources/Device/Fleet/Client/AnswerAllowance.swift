package import Support
internal import Synchronization

/// How much a hub may answer: who sends a board more than that is asked less often. Downloads have limits of their own.
package final class AnswerAllowance: Sendable {
    /// Bytes of an hour, and at once.
    static let anHour = 4 << 20
    static let text = "4 MB"
    /// Bytes that a server may have sent by the time that a transfer is broken off.
    static let onItsWay = 128 << 10

    private let clock: ServiceClock
    // Bytes beyond what time has made good, and when that was so, ns since boot.
    private let spent: Mutex<(bytes: Double, at: Int64)>

    package init(clock: ServiceClock = .system) {
        self.clock = clock
        spent = Mutex((0, clock.sinceBoot()))
    }

    func spend(_ bytes: Int) {
        let now = clock.sinceBoot()
        spent.withLock { $0 = (Self.left(of: $0, now) + Double(bytes), now) }
    }

    /// Seconds until it may answer again; 0 where it may.
    var rest: Double {
        let now = clock.sinceBoot()
        return spent.withLock { max(0, Self.left(of: $0, now) - Double(Self.anHour)) * 3600 / Double(Self.anHour) }
    }

    private static func left(of spent: (bytes: Double, at: Int64), _ now: Int64) -> Double {
        max(0, spent.bytes - Double(now - spent.at) / 3600e9 * Double(anHour))
    }
}

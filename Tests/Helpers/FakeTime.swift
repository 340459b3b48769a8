package import Logging
package import Support
internal import Synchronization

/// A clock that stands still until it is moved.
package final class FakeTime: Sendable {
    private let now: Mutex<Int64>

    /// - Parameter seconds: since boot.
    package init(seconds: Int64 = 1) { now = Mutex(seconds * 1_000_000_000) }

    package var clock: ServiceClock { ServiceClock(sinceBoot: { self.now.withLock { $0 } }, wall: { 1_800_000_000_000_000_000 }) }

    /// - Returns: ns since boot.
    @discardableResult
    package func pass(_ seconds: Int64) -> Int64 {
        now.withLock { now in
            now += seconds * 1_000_000_000
            return now
        }
    }
}

/// A logger that shows nothing.
package let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

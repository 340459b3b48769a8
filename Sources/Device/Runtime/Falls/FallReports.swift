internal import Support
internal import Synchronization

/// Changes of what is known of a fall, for the loop's own output: whoever noticed them, the loop prints them.
package final class FallReports: Sendable {
    private let waiting: Mutex<[FallWatch.Report]> = Mutex([])
    private let areThere = Atomic(false)

    package init(_ falls: FallWatch) {
        falls.tell { [weak self] report in
            guard let self else { return }
            waiting.withLock { $0.append(report) }
            areThere.store(true, ordering: .releasing)
        }
    }

    /// Those since the last call; none without a fall, and nothing is locked or allocated then.
    package func take() -> [FallWatch.Report] {
        guard areThere.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

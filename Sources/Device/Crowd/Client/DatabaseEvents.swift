internal import Logging
internal import Support
internal import Synchronization

/// Wakes a client when its node or the weights change, by event streams; where they are cut it looks by itself.
final class DatabaseEvents: Sendable {
    private let changed = WakeEvent()
    private let cancellation = Stop()
    private let readers: [Worker]

    init(_ database: CrowdDatabase, log: Logger) {
        let changed = changed, cancellation = cancellation
        readers = [false, true].map { isOwn in
            Worker.start(isPolite: true) {
                let backOff = Mutex(BackOff(base: 1, cap: 60, jitter: .none))
                while !cancellation.isRaised {
                    do throws(Fault) {
                        try database.listen(isOwn ? "users/\(try database.user())" : "trainingWeights/iteration", cancellation) {
                            backOff.withLock { $0.reset() }
                            changed.raise()
                        }
                    } catch {
                        if cancellation.isRaised { return }
                        log.debug("no events: \(error.message)")
                    }
                    // A server without streams is not asked for ever.
                    cancellation.isRaised(within: Int(backOff.withLock { $0.next() } * 1000))
                }
            }
        }
    }

    func wait(_ seconds: Double, _ cancellation: Stop) {
        if !cancellation.isRaised { changed.wait(milliseconds: Int(seconds * 1000)) }
    }

    func stop() {
        cancellation.raise()
        for reader in readers { reader.join() }
    }
}

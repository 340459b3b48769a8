internal import Recognition
internal import Sensing
internal import Support

/// A source that is open and the thread that reads it, until this is released.
final class ActivitySession: Sendable {
    let decisions: AsyncThrowingStream<ActivityDecision, any Error>
    /// Raised when a decision was taken.
    let taken = WakeEvent()
    private let stop = Stop()
    private let thread: Worker
    // Decisions that may wait: of a sensor the newest ones; what is played waits for them to be taken.
    private static let limit = 64

    init(source: ActivitySource, model: ActivityModel, speed: Speed) {
        let isLive = source.specification.isLive
        let (decisions, continuation) = AsyncThrowingStream.makeStream(
            of: ActivityDecision.self, bufferingPolicy: isLive ? .bufferingNewest(Self.limit) : .bufferingOldest(Self.limit))
        self.decisions = decisions
        continuation.onTermination = { [stop] _ in stop.raise() }
        thread = Worker.start { [stop, taken] in
            do throws(Fault) {
                var loop = try ClassificationLoop(source: try source.specification.open(cancellation: stop), network: try model.load())
                try loop.run(speed: speed, stopping: { stop.isRaised }) { (activity) throws(Fault) in
                    let decision = ActivityDecision(activity)
                    while case .dropped = continuation.yield(decision), !isLive, !stop.isRaised { taken.wait(milliseconds: 100) }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    deinit {
        stop.raise()
        thread.join()
    }
}

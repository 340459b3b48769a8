@_exported public import Support
internal import Recognition
internal import Sensing

/// What somebody does, a decision every 1.28 s with the shipped model: from a sensor of this machine, a recording or a simulated wearer.
///
/// ```swift
/// for try await decision in Activities(source: .iio(), model: .shipped) {
///     print(decision.time, decision.activity ?? "unknown", decision.confidence)
/// }
/// ```
///
/// Each iteration opens the source anew, reads it on a thread of its own, and closes it when the iterator is released or its task is
/// cancelled. Iterating throws a ``Fault``: `.sensorUnavailable`, `.noInput`, `.badData`, `.permission`.
public struct Activities: AsyncSequence, Sendable {
    /// What iterating gives.
    public typealias Element = ActivityDecision

    /// How fast what is not a sensor is played.
    public enum Pace: Sendable {
        /// As its wearer moved.
        case real
        /// As fast as its decisions are taken.
        case fastest
    }

    private let source: ActivitySource
    private let model: ActivityModel
    private let pace: Pace

    /// - Parameters:
    ///   - source: where samples come from.
    ///   - model: the network that decides.
    ///   - pace: how fast a recording or a simulated wearer is played; a sensor has its own pace.
    public init(source: ActivitySource = .iio(), model: ActivityModel = .shipped, pace: Pace = .real) {
        (self.source, self.model, self.pace) = (source, model, pace)
    }

    /// Opens the source.
    public func makeAsyncIterator() -> Iterator {
        Iterator(ActivitySession(source: source, model: model, speed: pace == .fastest ? .max : .real))
    }

    /// Gives one decision after the other; nil when the source has ended.
    public struct Iterator: AsyncIteratorProtocol {
        private let session: ActivitySession
        private var decisions: AsyncThrowingStream<ActivityDecision, any Error>.Iterator

        init(_ session: ActivitySession) {
            self.session = session
            decisions = session.decisions.makeAsyncIterator()
        }

        /// Waits for the next decision.
        ///
        /// - Returns: nil when the source has ended or the task was cancelled.
        /// - Throws: a ``Fault``.
        public mutating func next() async throws -> ActivityDecision? {
            defer { session.taken.raise() }
            return try await decisions.next()
        }
    }
}

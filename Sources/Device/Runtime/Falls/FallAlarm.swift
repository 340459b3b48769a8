package import History
package import HubProtocol

/// From a blow to help: what is known of the latest fall, and when help is called. Pure: times are given.
///
/// impact -> fallen (still down) -> alarm (nobody cancelled it in time); recovered or cancelled end it at any point. Waits go by the clock
/// that nobody sets; what is kept over a restart by the wall clock.
package struct FallAlarm: Sendable, Equatable {
    package private(set) var state: FallState?
    /// When the blow was, and when the fall was confirmed.
    package private(set) var impact = DayTracker.Moment(wall: 0, elapsed: 0), fallen = DayTracker.Moment(wall: 0, elapsed: 0)
    // What is known of before a restart, whose samples nobody saw on.
    private var isRestored = false
    /// ms down after which a fall counts as confirmed, and in which it can be cancelled after that.
    private let confirm: Int64, cancelWindow: Int64

    /// ms: that the samples' own verdict may be late; after which a fall is followed no more; that one is news after a restart.
    private static let grace: Int64 = 5_000, followed: Int64 = 3_600_000, news: Int64 = 86_400_000
    private static let gaits: Set<String> = ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "RUNNING"]

    /// - Parameters:
    ///   - confirm: ms.
    ///   - cancelWindow: ms.
    package init(confirm: Int64, cancelWindow: Int64) { (self.confirm, self.cancelWindow) = (confirm, cancelWindow) }

    /// Goes on with what was kept before a restart, ms since 1970; what is too old for that is left. A board without a battery clock
    /// starts in the past: what is of a time to come was just now.
    package mutating func restore(_ state: FallState, impact: Int64, fallen: Int64, now: DayTracker.Moment) {
        func moment(_ wall: Int64) -> DayTracker.Moment? {
            guard (0...Self.latest).contains(wall), now.wall - wall <= Self.news else { return nil }
            return .init(wall: wall, elapsed: now.elapsed - max(0, now.wall - wall))
        }
        switch state {
        case .impact:
            guard let impact = moment(impact), now.wall - impact.wall <= Self.followed else { return }
            (self.impact, self.fallen) = (impact, impact)
        case .fallen, .alarm:
            // The clock may have been set after the blow.
            guard let fallen = moment(fallen) else { return }
            let isTime = (0...Self.latest).contains(impact)
            self.impact = moment(impact) ?? .init(wall: isTime ? impact : fallen.wall, elapsed: fallen.elapsed)
            self.fallen = fallen
        default: return
        }
        (self.state, isRestored) = (state, true)
    }

    // ms since 1970, the year 9999.
    private static let latest: Int64 = 253_402_300_800_000

    /// Whether something may still come of it.
    package var isOpen: Bool { state == .impact || state == .fallen || state == .alarm }

    // Whether the samples tell nothing more of it.
    private func isUnwatched(_ now: DayTracker.Moment) -> Bool { isRestored || now.elapsed - impact.elapsed > Self.followed }

    /// What the samples tell.
    ///
    /// - Parameter impact: when the blow was.
    /// - Returns: the new state; nil where nothing changed.
    package mutating func take(_ kind: FallState, impact: DayTracker.Moment, now: DayTracker.Moment) -> FallState? {
        switch kind {
        case .impact:
            // Somebody who lies on the floor already may be hit again: the first alarm stands, but not for good.
            guard state != .alarm && state != .fallen || isUnwatched(now) else { return nil }
            (state, self.impact, isRestored) = (.impact, impact, false)
        case .fallen:
            guard state == .impact else { return nil }
            (state, fallen) = (.fallen, now)
        case .recovered:
            guard isOpen else { return nil }
            state = .recovered
        case .alarm, .cancelled: return nil
        }
        return state
    }

    /// A window was decided on: who walks is up again, where the samples do not tell.
    package mutating func take(activity: String, now: DayTracker.Moment) -> FallState? {
        guard isOpen, isUnwatched(now), Self.gaits.contains(activity) else { return nil }
        state = .recovered
        return state
    }

    /// Time goes on, also without samples: a cable may come off with a fall.
    package mutating func tick(_ now: DayTracker.Moment) -> FallState? {
        if state == .impact, now.elapsed - impact.elapsed >= confirm + (isRestored ? 0 : Self.grace) {
            (state, fallen) = (.fallen, now)
            return state
        }
        guard state == .fallen, now.elapsed - fallen.elapsed >= cancelWindow else { return nil }
        state = .alarm
        return state
    }

    /// Somebody says that it is none, or that all is well.
    package mutating func cancel() -> FallState? {
        guard isOpen else { return nil }
        state = .cancelled
        return state
    }
}

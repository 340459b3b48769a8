package import HubProtocol

/// From a blow to help: what is known of the latest fall, and when help is called. Pure: times are given, ms since 1970.
///
/// impact -> fallen (still down) -> alarm (nobody cancelled it in time); recovered or cancelled end it at any point.
package struct FallAlarm: Sendable, Equatable {
    package private(set) var state: FallState?
    /// When the blow was, and when the fall was confirmed.
    package private(set) var impact: Int64 = 0, fallen: Int64 = 0
    /// ms in which a confirmed fall can be cancelled before help is called.
    package var cancelWindow: Int64
    // What is known of before a restart, whose samples nobody saw on.
    private var isRestored = false
    private let confirm: Int64

    /// - Parameters:
    ///   - confirm: ms down after which a fall counts as confirmed.
    ///   - cancelWindow: ms in which it can be cancelled after that.
    package init(confirm: Int64, cancelWindow: Int64) { (self.confirm, self.cancelWindow) = (confirm, cancelWindow) }

    /// Goes on with what was kept before a restart.
    package mutating func restore(_ state: FallState, impact: Int64, fallen: Int64) {
        guard [.impact, .fallen, .alarm].contains(state) else { return }
        (self.state, self.impact, self.fallen, isRestored) = (state, impact, fallen, true)
    }

    /// Whether something may still come of it.
    package var isOpen: Bool { state == .impact || state == .fallen || state == .alarm }

    /// What the samples tell.
    ///
    /// - Parameter impact: when the blow was.
    /// - Returns: the new state; nil where nothing changed.
    package mutating func take(_ kind: FallState, impact: Int64, now: Int64) -> FallState? {
        switch kind {
        case .impact:
            // Somebody who lies on the floor already may be hit again: the first alarm stands.
            guard state != .alarm, state != .fallen else { return nil }
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

    /// A window was decided on: who walks is up again, whatever became of the samples meanwhile.
    package mutating func take(activity: String) -> FallState? {
        guard isOpen, isRestored, ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "RUNNING"].contains(activity) else { return nil }
        state = .recovered
        return state
    }

    /// Time goes on.
    package mutating func tick(_ now: Int64) -> FallState? {
        if isRestored, state == .impact, now - impact >= confirm {
            (state, fallen) = (.fallen, now)
            return state
        }
        guard state == .fallen, now - fallen >= cancelWindow || now < fallen else { return nil }
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

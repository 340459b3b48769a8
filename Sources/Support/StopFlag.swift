internal import Synchronization

/// Something that is raised once and asked for from another thread.
public final class StopFlag: Sendable {
    private let raised = Atomic(false)

    public init() {}

    public func raise() { raised.store(true, ordering: .relaxed) }
    public var isRaised: Bool { raised.load(ordering: .relaxed) }
}

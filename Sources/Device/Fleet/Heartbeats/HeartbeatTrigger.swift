internal import Synchronization

/// Makes the next heartbeat go before it is due.
public final class HeartbeatTrigger: Sendable {
    // The sleep that is under way, and whether it fired.
    private let state = Mutex<(sleep: Task<Void, Never>?, isFired: Bool)>((nil, false))

    /// Not triggered yet.
    public init() {}

    /// The next heartbeat goes now.
    public func fire() {
        state.withLock { state in
            state.isFired = true
            state.sleep?.cancel()
        }
    }

    /// Sleeps until `trigger` fires, the task is cancelled or the time is over.
    static func sleep(_ seconds: Double, unless trigger: HeartbeatTrigger?) async {
        let sleep = Task<Void, Never> { try? await Task.sleep(for: .seconds(seconds)) }
        trigger?.state.withLock { state in
            if state.isFired { sleep.cancel() }
            (state.sleep, state.isFired) = (sleep, false)
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }
}

internal import Synchronization

/// Something to tell before the next heartbeat is due.
public final class BeatSoon: Sendable {
    // The sleep that is under way, and whether there is news.
    private let state = Mutex<(sleep: Task<Void, Never>?, hasNews: Bool)>((nil, false))

    public init() {}

    /// The next heartbeat goes now.
    public func now() {
        state.withLock { state in
            state.hasNews = true
            state.sleep?.cancel()
        }
    }

    /// Sleeps until `soon` has news, the task is cancelled or the time is over.
    static func sleep(_ seconds: Double, unless soon: BeatSoon?) async {
        let sleep = Task<Void, Never> { try? await Task.sleep(for: .seconds(seconds)) }
        soon?.state.withLock { state in
            if state.hasNews { sleep.cancel() }
            (state.sleep, state.hasNews) = (sleep, false)
        }
        await withTaskCancellationHandler { await sleep.value } onCancel: { sleep.cancel() }
    }
}

import Glibc
import Support

/// What signals ask of the program: Ctrl-C and SIGTERM to stop, SIGHUP to read its configuration again.
enum Interruption {
    /// Becomes readable with the first wish to stop, so that no wait outlives it.
    static let cancellation = Cancellation()

    // Written by signal handlers alone, but for `reloadRequested`, which takes the wish.
    nonisolated(unsafe) private static var stop: sig_atomic_t = 0
    nonisolated(unsafe) private static var reload: sig_atomic_t = 0
    nonisolated(unsafe) private static var trigger: CInt = -1

    static var requested: Bool { unsafe stop != 0 }

    /// Whether a reload was asked for since the last call.
    static func reloadRequested() -> Bool {
        guard unsafe reload != 0 else { return false }
        unsafe reload = 0
        return true
    }

    /// Asks politely on the first signal; the second one ends the program as usual.
    static func watch() {
        unsafe trigger = cancellation.trigger
        for number in [SIGINT, SIGTERM] {
            handle(number) { number in
                unsafe Interruption.stop = 1
                unsafe Cancellation.request(Interruption.trigger)
                signal(number, SIG_DFL)
            }
        }
        handle(SIGHUP) { _ in unsafe Interruption.reload = 1 }
    }

    /// Watches, and raises a flag with the first wish to stop: for work that waits for no descriptor.
    static func flag() -> StopFlag {
        watch()
        let flag = StopFlag()
        Worker.start {
            while !cancellation.isRequested(within: 3_600_000) {}
            flag.raise()
        }
        return flag
    }

    private static func handle(_ number: CInt, _ body: @convention(c) (CInt) -> Void) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = body
        unsafe sigaction(number, &action, nil)
    }
}

import Glibc
import Support

/// What signals ask of the program: Ctrl-C and SIGTERM to stop, SIGHUP to read its configuration again.
enum Interruption {
    /// Ends every wait with the first request to stop.
    static let stop = Stop()

    // Written by signal handlers alone, but for `reloadRequested`, which takes the request.
    nonisolated(unsafe) private static var reload: sig_atomic_t = 0
    nonisolated(unsafe) private static var trigger: CInt = -1
    // When the first request to stop came, ns.
    nonisolated(unsafe) private static var asked: Int64 = 0

    /// Whether a reload was asked for since the last call.
    static func reloadRequested() -> Bool {
        guard unsafe reload != 0 else { return false }
        unsafe reload = 0
        return true
    }

    /// The next ``reloadRequested()`` says so.
    static func requestReload() { unsafe reload = 1 }

    /// Stops in good order with the first signal; another one a second later ends the program as usual. One that comes at once is the
    /// same request: timeout(1) sends two.
    ///
    /// - Parameter hangUpStops: whether a terminal that is closed stops it, too; else SIGHUP asks for the configuration to be read.
    /// - Returns: what is raised then.
    @discardableResult
    static func watch(hangUpStops: Bool = false) -> Stop {
        unsafe trigger = stop.trigger
        for number in [SIGINT, SIGTERM] + (hangUpStops ? [SIGHUP] : []) {
            handle(number) { number in
                let now = SystemTime.monotonic
                if unsafe Interruption.asked == 0 {
                    unsafe Interruption.asked = now
                    unsafe Stop.raise(Interruption.trigger)
                } else if unsafe now - Interruption.asked > 1_000_000_000 {
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
        }
        if !hangUpStops { handle(SIGHUP) { _ in unsafe Interruption.reload = 1 } }
        return stop
    }

    /// Stops when standard input ends, as it does with the program at its other end; ten seconds later the process ends in any case.
    static func stopWithInput() {
        Worker.start {
            var bytes: (UInt64, UInt64) = (0, 0)
            while true {
                let count = unsafe read(STDIN_FILENO, &bytes, 16)
                guard count > 0 || (count < 0 && errno == EINTR) else { break }
            }
            stop.raise()
            Pause.milliseconds(10_000)
            Glibc.exit(Fault.Code.temporary.rawValue)
        }
    }

    private static func handle(_ number: CInt, _ body: @convention(c) (CInt) -> Void) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = body
        unsafe sigaction(number, &action, nil)
    }
}

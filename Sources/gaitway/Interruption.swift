import Glibc

/// Whether the user (Ctrl-C) or the system (SIGTERM) asked the program to stop.
enum Interruption {
    // Written by the signal handler alone, and only ever from false to true.
    nonisolated(unsafe) private static var flag: sig_atomic_t = 0

    static var requested: Bool { unsafe flag != 0 }

    /// Asks politely on the first signal; the second one ends the program as usual.
    static func watch() {
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                unsafe Interruption.flag = 1
                signal(number, SIG_DFL)
            }
            unsafe sigaction(number, &action, nil)
        }
    }
}

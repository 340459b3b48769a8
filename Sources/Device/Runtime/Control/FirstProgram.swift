package import Logging
internal import Support

/// Which of several programs with one state is the first: that one alone records, reports and answers.
package struct FirstProgram: Sendable {
    package let isFirst: Bool
    // The system gives it back with the program's end at the latest.
    private let lock: FileLock?

    /// - Parameter answers: whether this program is to answer at the control socket: who plays recordings keeps nobody else from it.
    package init(answers: Bool, _ log: Logger) {
        guard answers else {
            (isFirst, lock) = (!ControlClient.isAnswered, nil)
            return
        }
        let path = Places.state + "/first.lock"
        do throws(Fault) {
            try Files.makeDirectory(around: path)
            lock = try Self.lock(path)
            isFirst = lock != nil
        } catch {
            (isFirst, lock) = (!ControlClient.isAnswered, nil)
            if isFirst { log.warning("two gaitway with this state would not notice each other: \(error.message)") }
        }
    }

    // A killed program's lock and socket are there a moment longer; of two that start at once one has the lock before it replies.
    private static func lock(_ path: String) throws(Fault) -> FileLock? {
        let deadline = SystemTime.monotonic + 3_000_000_000
        while !ControlClient.replies {
            if let lock = try FileLock(path) {
                if !ControlClient.isAnswered { return lock }
                lock.release()
            }
            guard SystemTime.monotonic < deadline else { return nil }
            Pause.milliseconds(50)
        }
        return nil
    }

    package func end() { lock?.release() }
}

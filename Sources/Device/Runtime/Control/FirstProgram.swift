package import Logging
internal import Support

/// Which of several programs with one state is the first: that one alone records, reports and answers.
package struct FirstProgram: Sendable {
    package let isFirst: Bool
    // The system gives it back with the program's end at the latest.
    private let lock: FileLock?

    /// - Parameter answers: whether this program is to answer at the control socket: who plays recordings keeps nobody else from it.
    package init(answers: Bool, _ log: Logger) {
        let isAnswered = ControlClient.isAnswered
        guard answers, !isAnswered else {
            (isFirst, lock) = (!isAnswered, nil)
            return
        }
        let path = Places.state + "/first.lock"
        do throws(Fault) {
            try Files.makeDirectory(around: path)
            // Two that start at once both find nobody who answers.
            lock = try FileLock(path)
            isFirst = lock != nil
        } catch {
            log.warning("two gaitway with this state would not notice each other: \(error.message)")
            (isFirst, lock) = (true, nil)
        }
    }

    package func end() { lock?.release() }
}

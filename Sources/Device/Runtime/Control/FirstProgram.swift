package import Logging
internal import Support

/// Which of several programs with one state is the first: that one alone records, reports and answers.
package struct FirstProgram: Sendable {
    package let isFirst: Bool
    // The system gives it back with the program's end at the latest.
    private let lock: FileLock?

    package init(_ log: Logger) {
        guard !ControlClient.isAnswered else {
            (isFirst, lock) = (false, nil)
            return
        }
        let path = ControlSocket.path
        do throws(Fault) {
            try Files.makeDirectory(around: path)
            // Two that start at once both find nobody who answers.
            lock = try FileLock(directory: path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ".")
            isFirst = lock != nil
        } catch {
            log.info("nothing tells whether another gaitway runs: \(error.message)")
            (isFirst, lock) = (true, nil)
        }
    }

    package func end() { lock?.release() }
}

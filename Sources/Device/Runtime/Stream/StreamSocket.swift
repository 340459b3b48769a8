internal import Glibc
internal import Synchronization
package import Support

/// A subscription to the running program's local stream, for who reads its bytes as they come.
package final class StreamSocket: Sendable {
    private let file: CInt
    private let isTaken = Atomic(false)

    /// - Parameter events: those that are wanted; the usual ones when empty.
    /// - Throws: `.noInput` when none runs, `.permission`.
    package init(_ events: [StreamEvent]) throws(Fault) {
        file = try StreamConnection.subscribe(events.isEmpty ? Array(StreamEvent.usual) : events, at: nil)
    }

    deinit { if !isTaken.load(ordering: .relaxed) { close(file) } }

    /// The descriptor, which is the caller's from now on.
    package func take() -> CInt {
        isTaken.store(true, ordering: .relaxed)
        return file
    }
}

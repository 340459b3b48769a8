internal import NIOPosix
internal import Support
internal import Synchronization

/// What waits for the disk or another program, off the threads that serve.
enum Blocking {
    /// At once; more are refused: a program that hangs keeps each for ten seconds.
    private static let most = 16

    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return pool
    }()
    private static let waiting = Atomic(0)

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws(Fault) -> Value) async throws -> Value {
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard waiting.add(1, ordering: .relaxed).newValue <= most else {
            throw Fault(.temporary, "gaitway does not answer", remedy: "Try again in some seconds.")
        }
        return try await pool.runIfActive { try body() }
    }
}

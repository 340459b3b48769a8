internal import NIOPosix
internal import Support

/// What waits for the disk or another program, off the threads that serve.
enum Blocking {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws(Fault) -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive { try body() }
    }
}

internal import Support

/// Blocking work on threads, one after the other.
actor WorkInTurn {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
        return try await withCheckedThrowingContinuation { continuation in
            Worker.start { continuation.resume(with: Result { try body() }) }
        }
    }
}

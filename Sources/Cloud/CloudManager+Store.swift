public import Support
public import Upload

extension CloudManager: RemoteStore {
    public var keepsMetadata: Bool { Self.tableName.map { !$0.isEmpty } ?? false }

    public func store(file path: String, as key: String, digest: String? = nil, _ cancellation: StopFlag) throws(RemoteFailure) {
        try bucket(writeBucket).put(path, as: key, type: "text/csv", digest: digest, cancellation)
    }

    public func store(metadata: [String: String], _ cancellation: StopFlag) throws(RemoteFailure) { try table().write(metadata, cancellation) }

    public func metadata(from: String, to: String, _ cancellation: StopFlag) throws(RemoteFailure) -> [[String: String]] {
        try table().rows(user: userID, dates: (from, to), cancellation)
    }
}

extension CloudManager {
    // Blocking work on a thread of its own.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable (CloudManager, StopFlag) throws(RemoteFailure) -> Value) async throws(Fault) -> Value {
        try await Worker.remote { flag throws(RemoteFailure) in try body(self, flag) }
    }
}

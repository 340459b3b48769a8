internal import ObjectStores
internal import Support
internal import Upload

/// Models that are objects of a bucket.
struct BucketModelSource: ModelSource {
    private let store: AWSStore

    init(_ store: AWSStore) { self.store = store }

    /// A transfer that is broken off goes on where it was.
    ///
    /// - Throws: `.noInput` when there is none, `.badData` when it is larger than `limit`, `.temporary`, `.permission`, `.configuration`.
    func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        let store = store
        return try await Worker.remote { stop throws(RemoteFailure) in try store.object(name, limit: limit, stop) }
    }
}

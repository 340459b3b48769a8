package import Support
package import Synchronization
package import Upload

/// Takes files as it is told to.
package final class FakeStore: RemoteStore {
    package let userID = "u", place = "s3://fake", keepsMetadata: Bool
    private let answers: Mutex<[RemoteFailure.Kind?]>
    package let stored: Mutex<[String]> = Mutex([]), rows: Mutex<[[String: String]]> = Mutex([])

    private let table: RemoteFailure.Kind?

    /// - Parameter table: what becomes of metadata.
    package init(_ answers: [RemoteFailure.Kind?] = [], keepsMetadata: Bool = false, table: RemoteFailure.Kind? = nil) {
        self.answers = Mutex(answers)
        (self.keepsMetadata, self.table) = (keepsMetadata, table)
    }

    package func store(file path: String, as key: String, digest: String?, _ cancellation: Stop) throws(RemoteFailure) {
        if let kind = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw RemoteFailure(kind, Fault(.failure, "as told")) }
        stored.withLock { $0.append(key) }
    }

    package func store(metadata: [String: String], _ cancellation: Stop) throws(RemoteFailure) {
        if let table { throw RemoteFailure(table, Fault(.failure, "as told")) }
        rows.withLock { $0.append(metadata) }
    }
    package func metadata(from: String, to: String, _ cancellation: Stop) throws(RemoteFailure) -> [[String: String]] {
        rows.withLock { $0 }
    }
}

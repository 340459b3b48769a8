package import Support

/// Why something did not go to where it is kept.
package struct RemoteFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The network or the server does not answer just now; seconds that it asks to be left alone.
        case temporary(retryAfter: Double?)
        /// Nothing can go until somebody mends it: credentials, permissions, a bucket that does not exist.
        case blocked
        /// This one will never be taken.
        case refused
        /// Something else has this name already.
        case taken
    }

    package var kind: Kind
    package var fault: Fault
    /// The server's own word for it; nil when no server said anything.
    package var code: String?

    package init(_ kind: Kind, _ fault: Fault, code: String? = nil) { (self.kind, self.fault, self.code) = (kind, fault, code) }
}

extension Worker {
    /// ``run(_:)`` for calls of a ``RemoteStore``.
    package static func remote<Value: Sendable>(
        _ body: @escaping @Sendable (Stop) throws(RemoteFailure) -> Value
    ) async throws(Fault) -> Value {
        try await run { flag in
            do throws(RemoteFailure) { return .success(try body(flag)) } catch { return .failure(error.fault) }
        }
    }
}

/// Finds the store of the settings.
package typealias OpenStore = @Sendable () throws(Fault) -> any RemoteStore

/// Where files and rows of metadata are kept for good. Its calls block; they are made on threads that may.
package protocol RemoteStore: Sendable {
    /// Whose data it is; file names begin with it.
    var userID: String { get }
    /// Where that is, for people: "s3://BUCKET".
    var place: String { get }
    /// Whether rows of metadata can be written.
    var keepsMetadata: Bool { get }
    /// Stores a file under a name for good. When the very same file is there already, that is a success.
    ///
    /// - Parameter digest: SHA-256 of the file when it was written, in hexadecimal; nil when nobody knows.
    func store(file path: String, as key: String, digest: String?, _ cancellation: Stop) throws(RemoteFailure)
    /// Writes a row, whose keys are those of ``RowKey``.
    func store(metadata: [String: String], _ cancellation: Stop) throws(RemoteFailure)
    /// The user's rows between two event dates, both included, with keys of ``RowKey``.
    func metadata(from: String, to: String, _ cancellation: Stop) throws(RemoteFailure) -> [[String: String]]
}

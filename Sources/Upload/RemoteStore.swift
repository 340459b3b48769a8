public import Support

/// Why something did not go to where it is kept.
public struct RemoteFailure: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The network or the server does not answer just now; seconds that it asks to be left alone.
        case temporary(retryAfter: Double?)
        /// Nothing can go until somebody mends it: credentials, permissions, a bucket that does not exist.
        case blocked
        /// This one will never be taken.
        case refused
        /// Something else has this name already.
        case taken
    }

    public var kind: Kind
    public var fault: Fault
    /// The server's own word for it; nil when no server said anything.
    public var code: String?

    public init(_ kind: Kind, _ fault: Fault, code: String? = nil) { (self.kind, self.fault, self.code) = (kind, fault, code) }
}

extension Worker {
    /// ``run(_:)`` for calls of a ``RemoteStore``.
    package static func remote<Value: Sendable>(_ body: @escaping @Sendable (StopFlag) throws(RemoteFailure) -> Value) async throws(Fault) -> Value {
        try await run { flag in
            do throws(RemoteFailure) { return .success(try body(flag)) } catch { return .failure(error.fault) }
        }
    }
}

/// Where files and rows of metadata are kept for good. Its calls block; they are made on threads that may.
public protocol RemoteStore: Sendable {
    /// Whose data it is; file names begin with it.
    var userID: String { get }
    /// Whether rows of metadata can be written.
    var keepsMetadata: Bool { get }
    /// Stores a file under a name for good. When the very same file is there already, that is a success.
    ///
    /// - Parameter digest: SHA-256 of the file when it was written, in hexadecimal; nil when nobody knows.
    func store(file path: String, as key: String, digest: String?, _ cancellation: StopFlag) throws(RemoteFailure)
    /// Writes a row, whose keys are those of ``Keys``.
    func store(metadata: [String: String], _ cancellation: StopFlag) throws(RemoteFailure)
    /// The user's rows between two event dates, both included, with keys of ``Keys``.
    func metadata(from: String, to: String, _ cancellation: StopFlag) throws(RemoteFailure) -> [[String: String]]
}

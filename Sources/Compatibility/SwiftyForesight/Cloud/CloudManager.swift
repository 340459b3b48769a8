public import FoundationEssentials
public import ObjectStores
public import Support
internal import Synchronization
public import Updates
package import Upload

/// The way to a user's files in S3 and rows in DynamoDB, with SwiftyForesight's names.
///
/// ```swift
/// let cloudManager = CloudManager(identityID: "<pool>", userID: "<user>", writeBucket: "<bucket>", readBucket: "<bucket>")
/// ```
public final class CloudManager: Sendable {
    /// The table of metadata, for every manager. Set it before metadata is written or read.
    public static var tableName: String? {
        get { table.withLock { $0 } }
        set { table.withLock { $0 = newValue } }
    }
    private static let table: Mutex<String?> = Mutex(nil)

    /// What a bucket that is not there is called.
    public static let none = "N/A"

    /// The identity pool.
    public let identityID: String
    /// Whose data it is; names of files begin with it.
    public let userID: String
    /// The bucket that data goes to.
    public let writeBucket: String
    /// The bucket that models come from.
    public let readBucket: String

    // A wrong configuration is said by the first call that needs it: the initialiser throws nothing.
    private let services: Result<AWSServices, Fault>

    /// - Parameters:
    ///   - identityID: a Cognito identity pool, "region:uuid".
    ///   - configuration: of `awsconfiguration.json`; nil reads that file in the current directory, where there is one.
    ///   - credentials: nil for an identity of the pool, or, without a pool, the environment's.
    ///   - stateDirectory: where the board's identity is kept; nil for $STATE_DIRECTORY, else ~/.local/state/gaitway.
    ///   - bandwidth: bytes a second that are sent; 0 for as many as go.
    ///   - patience: seconds to wait for a connection, and for a transfer that has stalled.
    public init(
        identityID: String = CloudManager.none, userID: String, writeBucket: String = CloudManager.none,
        readBucket: String = CloudManager.none,
        configuration: AWSConfiguration? = nil, credentials: CredentialsSource? = nil, stateDirectory: String? = nil, bandwidth: Int = 0,
        patience: Int = 20
    ) {
        (self.identityID, self.userID, self.writeBucket, self.readBucket) = (identityID, userID, writeBucket, readBucket)
        services = Result { () throws(Fault) in
            let path = "awsconfiguration.json"
            let settings =
                if let configuration { configuration } else { Files.exists(path) ? try AWSConfiguration(file: path) : AWSConfiguration() }
            return try AWSServices(
                settings, pool: identityID == Self.none || identityID.isEmpty ? nil : identityID, credentials: credentials,
                directory: stateDirectory ?? Places.state,
                bandwidth: bandwidth, patience: patience)
        }
    }

    private func store(in bucket: String) throws(RemoteFailure) -> AWSStore {
        guard bucket != Self.none, !bucket.isEmpty else {
            throw RemoteFailure(
                .blocked,
                Fault(.configuration, "no bucket is set", remedy: "Give CloudManager a writeBucket and a readBucket, or set upload.bucket.")
            )
        }
        return try store(bucket)
    }

    // For the table alone the bucket does not matter.
    private func store(_ bucket: String) throws(RemoteFailure) -> AWSStore {
        do throws(Fault) { return AWSStore(user: userID, bucket: bucket, table: Self.tableName, try services.get()) } catch {
            throw RemoteFailure(.blocked, error)
        }
    }

    /// Stores a file in the write bucket; without a key under its own name.
    ///
    /// - Throws: `.failure` when the bucket has another file of that name, `.temporary`, `.permission`, `.configuration`, `.noInput`.
    public func uploadFile(fromLocalPath path: URL, toRemoteFilename key: String? = nil) async throws(Fault) {
        try await Worker.remote { stop throws(RemoteFailure) in
            try self.store(file: path.path, as: key ?? path.lastPathComponent, digest: nil, stop)
        }
    }

    /// Fetches a key of the read bucket into a file that is not there yet, as a whole.
    ///
    /// - Throws: `.usage` when the file exists; those of ``model(named:limit:)``.
    public func downloadFile(withRemoteFilename key: String, toLocalPath path: URL, limit: Int = 1 << 30) async throws(Fault) {
        guard !Files.exists(path.path) else {
            throw Fault(.usage, "\(path.path) exists already", remedy: "Delete it first, or choose another name.")
        }
        try Files.write(try await model(named: key, limit: limit), to: path.path)
    }

    /// Deletes every file of this user in the write bucket.
    ///
    /// - Returns: their keys.
    /// - Throws: `.temporary`, `.permission`, `.configuration`; some may be deleted by then.
    @discardableResult
    public func removeAllUserFiles() async throws(Fault) -> [String] {
        try await Worker.remote { stop throws(RemoteFailure) in try self.store(in: self.writeBucket).removeFiles(stop) }
    }

    /// The same without waiting.
    public func removeAllUserFiles(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "CloudManager.removeAllUserFiles") { () async throws(Fault) in
            _ = try await self.removeAllUserFiles() as [String]
        }
    }

    /// The keys of this user's files in the write bucket.
    public func userFiles() async throws(Fault) -> [String] {
        try await Worker.remote { stop throws(RemoteFailure) in try self.store(in: self.writeBucket).files(stop) }
    }

    /// Deletes every row of this user's metadata.
    ///
    /// - Returns: how many there were.
    /// - Throws: `.temporary`, `.permission`, `.configuration`; some may be deleted by then.
    @discardableResult
    public func removeAllUserMetadata() async throws(Fault) -> Int {
        try await Worker.remote { stop throws(RemoteFailure) in try self.store(self.writeBucket).removeRows(stop) }
    }

    /// The same without waiting.
    public func removeAllUserMetadata(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "CloudManager.removeAllUserMetadata") { () async throws(Fault) in
            _ = try await self.removeAllUserMetadata() as Int
        }
    }
}

extension CloudManager: ModelSource {
    /// The model under a key of the read bucket, for ``LibraModel``. A transfer that is broken off goes on where it was.
    ///
    /// - Throws: `.noInput` when there is none, `.badData` when it is larger than `limit`, `.temporary`, `.permission`, `.configuration`.
    public func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        try await Worker.remote { stop throws(RemoteFailure) in try self.store(in: self.readBucket).object(name, limit: limit, stop) }
    }
}

extension CloudManager: RemoteStore {
    package var place: String { "s3://\(writeBucket) as \(userID)" }
    package var keepsMetadata: Bool { Self.tableName.map { !$0.isEmpty } ?? false }

    package func store(file path: String, as key: String, digest: String? = nil, _ stop: Stop) throws(RemoteFailure) {
        try store(in: writeBucket).store(file: path, as: key, digest: digest, stop)
    }

    package func store(metadata: [String: String], _ stop: Stop) throws(RemoteFailure) {
        try store(writeBucket).store(metadata: metadata, stop)
    }

    package func metadata(from: String, to: String, _ stop: Stop) throws(RemoteFailure) -> [[String: String]] {
        try store(writeBucket).metadata(from: from, to: to, stop)
    }
}

public import FoundationEssentials
public import Models
public import Support
internal import Upload

extension CloudManager: ModelSource {
    /// The model under a key of the read bucket, for ``LibraModel``. A transfer that is broken off goes on where it was.
    ///
    /// Errors: `.noInput` when there is none, `.badData` when it is larger than `limit`, `.temporary`, `.permission`, `.configuration`.
    public func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        try await blocking { manager, flag throws(RemoteFailure) in try manager.bucket(manager.readBucket).get(name, limit: limit, flag) }
    }

    /// Stores a file in the write bucket; without a key under its own name.
    ///
    /// Errors: `.failure` when the bucket has another file of that name, `.temporary`, `.permission`, `.configuration`, `.noInput`.
    public func uploadFile(fromLocalPath path: URL, toRemoteFilename key: String? = nil) async throws(Fault) {
        try await blocking { manager, flag throws(RemoteFailure) in try manager.store(file: path.path, as: key ?? path.lastPathComponent, flag) }
    }

    /// Fetches a key of the read bucket into a file that is not there yet, as a whole.
    ///
    /// Errors: `.usage` when the file exists; those of ``model(named:limit:)``.
    public func downloadFile(withRemoteFilename key: String, toLocalPath path: URL, limit: Int = 1 << 30) async throws(Fault) {
        guard !Files.exists(path.path) else { throw Fault(.usage, "\(path.path) exists already", remedy: "Delete it first, or choose another name.") }
        try Files.write(try await model(named: key, limit: limit), to: path.path)
    }

    /// Deletes every file of this user in the write bucket.
    ///
    /// Errors: `.temporary`, `.permission`, `.configuration`; some may be deleted by then.
    /// Returns: their keys.
    @discardableResult
    public func removeAllUserFiles() async throws(Fault) -> [String] {
        try await blocking { manager, flag throws(RemoteFailure) in
            let keys = try manager.userFiles(flag), bucket = try manager.bucket(manager.writeBucket)
            for key in keys { try bucket.delete(key, flag) }
            return keys
        }
    }

    /// The same without waiting.
    public func removeAllUserFiles(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "CloudManager.removeAllUserFiles") { () async throws(Fault) in _ = try await self.removeAllUserFiles() as [String] }
    }

    /// The keys of this user's files in the write bucket.
    public func userFiles() async throws(Fault) -> [String] {
        try await blocking { manager, flag throws(RemoteFailure) in try manager.userFiles(flag) }
    }

    private func userFiles(_ cancellation: StopFlag) throws(RemoteFailure) -> [String] {
        guard !userID.isEmpty else { throw RemoteFailure(.blocked, Fault(.usage, "the user has no ID, so nobody knows which files are theirs")) }
        return try bucket(writeBucket).keys(prefix: userID + "_", cancellation).filter { Self.belongs($0, to: userID) }
    }

    /// `user1` has not the files of `user10`, nor `user` those of `user_1`: behind the ID and "_" come fourteen digits, or a name that
    /// is not another user's ID and fourteen digits.
    static func belongs(_ key: String, to user: String) -> Bool {
        guard key.hasPrefix(user + "_") else { return false }
        let parts = key.dropFirst(user.count + 1).split(separator: "_", omittingEmptySubsequences: false)
        return parts.first.map { DataFileName.isDate($0) } == true || !parts.dropFirst().contains { DataFileName.isDate($0) }
    }
}

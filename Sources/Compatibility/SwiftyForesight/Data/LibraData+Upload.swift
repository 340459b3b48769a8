public import FoundationEssentials
public import Support
internal import Synchronization
internal import Upload

extension LibraData {
    // One at a time reads and writes the logs of failed uploads.
    private static let logs = Mutex(())

    private var failed: FailedUploads { FailedUploads(directory: directory) }

    /// Stores a formatted file in the write bucket under its own name, then deletes it here. One that does not go is kept and logged
    /// for ``retryFailedUploads()``.
    ///
    /// - Throws: `.noInput` when there is no such file, `.temporary`, `.permission`, `.configuration`, `.failure`.
    public func uploadDataToRemote(fromLocalPath path: URL) async throws(Fault) {
        guard Files.exists(path.path) else { throw Fault(.noInput, "File not found at localFilepath: \(path.path)") }
        let entry = FailedUploads.Entry(file: logged(path.path), key: path.lastPathComponent)
        try await Worker.run { flag in Result { () throws(Fault) in try self.upload(entry, flag) } }
    }

    /// The same of a file URL.
    public func uploadDataToRemote(fromLocalFile path: URL) async throws(Fault) { try await uploadDataToRemote(fromLocalPath: path) }
    /// The same of a path.
    public func uploadDataToRemote(fromLocalFile path: String) async throws(Fault) {
        try await uploadDataToRemote(fromLocalPath: URL(filePath: path))
    }

    /// The same without waiting.
    public func uploadDataToRemote(fromLocalPath path: URL, completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "LibraData.uploadDataToRemote") { () async throws(Fault) in
            try await self.uploadDataToRemote(fromLocalPath: path)
        }
    }

    /// The same of a file URL, with a completion handler.
    public func uploadDataToRemote(fromLocalFile path: URL, completion: (@Sendable (Bool) -> Void)? = nil) {
        uploadDataToRemote(fromLocalPath: path, completion: completion)
    }
    /// The same of a path, with a completion handler.
    public func uploadDataToRemote(fromLocalFile path: String, completion: (@Sendable (Bool) -> Void)? = nil) {
        uploadDataToRemote(fromLocalPath: URL(filePath: path), completion: completion)
    }

    /// Stores every file that did not go before.
    ///
    /// - Throws: `.noInput` when there is none; the first failure, when all were tried. What did not go stays logged.
    public func retryFailedUploads() async throws(Fault) {
        try await Worker.run { flag in
            Result { () throws(Fault) in
                guard self.failed.exist else { throw Fault(.noInput, "Libra Error Logs not found") }
                let entries = try Self.logs.withLock { _ throws(Fault) in try self.failed.entries() }
                guard !entries.isEmpty else { throw Fault(.noInput, "No data to retry uploading") }
                var first: Fault?
                for entry in entries {
                    do throws(Fault) { try self.upload(entry, flag) } catch { first = first ?? error }
                }
                if let first { throw first }
            }
        }
    }

    /// The same without waiting; `completion` is called when all were tried.
    public func retryFailedUploads(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "LibraData.retryFailedUploads") { () async throws(Fault) in try await self.retryFailedUploads() }
    }

    /// Deletes every file that did not go, and forgets them.
    ///
    /// - Throws: `.noInput` without logs; those of deleting files.
    public func clearErrorLogs() async throws(Fault) {
        guard failed.exist else { throw Fault(.noInput, "Log files do not exist") }
        try Self.logs.withLock { _ throws(Fault) in
            for entry in try failed.entries() where Files.exists(path(entry)) { try Files.remove(path(entry)) }
            try failed.write([])
        }
    }

    /// The same without waiting.
    public func clearErrorLogs(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "LibraData.clearErrorLogs") { () async throws(Fault) in try await self.clearErrorLogs() }
    }

    /// Deletes one formatted file.
    ///
    /// - Throws: `.noInput` when there is none.
    public func removeLocalFile(atPath path: URL) async throws(Fault) {
        guard Files.exists(path.path) else { throw Fault(.noInput, "File not found at localFilepath: \(path.path)") }
        try Files.remove(path.path)
    }

    /// The same without waiting.
    public func removeLocalFile(atPath path: URL, completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "LibraData.removeLocalFile") { () async throws(Fault) in try await self.removeLocalFile(atPath: path)
        }
    }

    private func upload(_ entry: FailedUploads.Entry, _ cancellation: Stop) throws(Fault) {
        let path = path(entry)
        var key = entry.key
        do throws(RemoteFailure) {
            while Files.exists(path) {
                do throws(RemoteFailure) {
                    try store.store(file: path, as: key, digest: nil, cancellation)
                    break
                } catch  where error.kind == .taken {
                    // Another program of this user formatted one in the same second.
                    guard DataFileName.isMade(key, of: store.userID) else { throw error }
                    let next = freshName()
                    StandardError.write("Message from LibraData.uploadDataToRemote(): \(error.fault.message); this one is now \(next)")
                    key = next
                }
            }
        } catch {
            let failed = FailedUploads.Entry(file: entry.file, key: key)
            try change { entries in
                entries.removeAll { $0 == entry }
                entries.append(failed)
            }
            StandardError.write(
                "Message from LibraData.uploadDataToRemote(): Retry upload at a later time with LibraData.retryFailedUploads()")
            throw error.fault
        }
        if Files.exists(path) { try Files.remove(path) }
        try change { entries in entries.removeAll { $0 == entry } }
    }

    private func change(_ body: (inout [FailedUploads.Entry]) -> Void) throws(Fault) {
        try Self.logs.withLock { _ throws(Fault) in
            let before = try failed.entries()
            var entries = before
            body(&entries)
            if entries != before || (!failed.exist && !entries.isEmpty) { try failed.write(entries) }
        }
    }

    // Files of the directory are logged by name, as SwiftyForesight does; others with their path.
    private func logged(_ path: String) -> String {
        let file = URL(filePath: path).standardized, home = URL(filePath: directory).standardized
        return file.deletingLastPathComponent().path == home.path ? file.lastPathComponent : file.path
    }

    private func path(_ entry: FailedUploads.Entry) -> String { entry.file.hasPrefix("/") ? entry.file : "\(directory)/\(entry.file)" }
}

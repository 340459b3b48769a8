public import Support
internal import Upload

extension CloudManager {
    /// Deletes every row of this user's metadata.
    ///
    /// Errors: `.temporary`, `.permission`, `.configuration`; some may be deleted by then.
    /// Returns: how many there were.
    @discardableResult
    public func removeAllUserMetadata() async throws(Fault) -> Int {
        try await blocking { manager, flag throws(RemoteFailure) in
            let table = try manager.table(), rows = try table.rows(user: manager.userID, dates: nil, keysOnly: true, flag)
            for row in rows { try table.delete(row, flag) }
            return rows.count
        }
    }

    /// The same without waiting.
    public func removeAllUserMetadata(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "CloudManager.removeAllUserMetadata") { () async throws(Fault) in _ = try await self.removeAllUserMetadata() as Int }
    }
}

public import FoundationEssentials
public import Support
internal import Upload

extension LibraData {
    /// Writes the metadata into the table, as one row.
    ///
    /// - Throws: `.usage` when the metadata is empty or lacks ``Keys/hash`` or ``Keys/range``, `.badData` when it is too large for a row;
    ///   `.temporary`, `.permission`, `.configuration`.
    public func uploadMetadataToRemote() async throws(Fault) {
        let metadata = metadata, store = store
        guard !metadata.isEmpty else { throw Fault(.usage, "No data written to LibraData.metadata") }
        guard metadata[Keys.hash] != nil else { throw Fault(.usage, "No value for _userID (Keys.hash) attribute") }
        guard metadata[Keys.range] != nil else { throw Fault(.usage, "No value for _eventDate (Keys.range) attribute") }
        try await Worker.remote { flag throws(RemoteFailure) in try store.store(metadata: metadata, flag) }
    }

    /// As ``uploadMetadataToRemote()``.
    public func uploadMetadata() async throws(Fault) { try await uploadMetadataToRemote() }

    /// The same without waiting.
    public func uploadMetadataToRemote(completion: (@Sendable (Bool) -> Void)? = nil) {
        Completion.run(completion, of: "LibraData.uploadMetadataToRemote") { () async throws(Fault) in
            try await self.uploadMetadataToRemote()
        }
    }

    /// The same with a completion handler.
    public func uploadMetadata(completion: (@Sendable (Bool) -> Void)? = nil) { uploadMetadataToRemote(completion: completion) }

    /// The user's rows between two event dates, both included: texts of 14 digits, yyyyMMddHHmmss.
    ///
    /// - Throws: `.usage` when they are none, or the first is later; those of the request.
    public func queryData(fromDate: String, toDate: String) async throws(Fault) -> [DatabaseClass] {
        for date in [fromDate, toDate] where !DataFileName.isDate(date) {
            throw Fault(
                .usage, "\"\(date)\" is no date of 14 digits, yyyyMMddHHmmss",
                remedy: "SwiftyForesight's README has yyyyMMhhmmss, which leaves out the day.")
        }
        guard fromDate <= toDate else { throw Fault(.usage, "beginDate must precede endDate") }
        let store = store
        return try await Worker.remote { flag throws(RemoteFailure) in
            try store.metadata(from: fromDate, to: toDate, flag).map { DatabaseClass($0) }
        }
    }

    /// The same between two moments, in local time.
    public func queryMetadataFromRemote(fromDate: Date, toDate: Date) async throws(Fault) -> [DatabaseClass] {
        guard fromDate <= toDate else { throw Fault(.usage, "beginDate must precede endDate") }
        func digits(_ date: Date) -> String { DataFileName.date(Int64(max(-6e10, min(2e11, date.timeIntervalSince1970)))) }
        return try await queryData(fromDate: digits(fromDate), toDate: digits(toDate))
    }

    /// The same between two dates, in local time.
    public func queryData(fromDate: Date, toDate: Date) async throws(Fault) -> [DatabaseClass] {
        try await queryMetadataFromRemote(fromDate: fromDate, toDate: toDate)
    }

    /// The same without waiting.
    public func queryMetadataFromRemote(fromDate: Date, toDate: Date, completion: (@Sendable (Bool, [DatabaseClass]) -> Void)? = nil) {
        query(completion) { () async throws(Fault) in try await self.queryMetadataFromRemote(fromDate: fromDate, toDate: toDate) }
    }

    /// The same with a completion handler.
    public func queryData(fromDate: Date, toDate: Date, completion: (@Sendable (Bool, [DatabaseClass]) -> Void)? = nil) {
        queryMetadataFromRemote(fromDate: fromDate, toDate: toDate, completion: completion)
    }

    /// The same with a completion handler.
    public func queryData(fromDate: String, toDate: String, completion: (@Sendable (Bool, [DatabaseClass]) -> Void)? = nil) {
        query(completion) { () async throws(Fault) in try await self.queryData(fromDate: fromDate, toDate: toDate) }
    }

    private func query(
        _ completion: (@Sendable (Bool, [DatabaseClass]) -> Void)?, _ body: @escaping @Sendable () async throws(Fault) -> [DatabaseClass]
    ) {
        Task.detached {
            do throws(Fault) {
                let rows = try await body()
                StandardError.write("Message from LibraData.queryMetadataFromRemote(): Query successful")
                completion?(true, rows)
            } catch {
                self.report(error, "queryMetadataFromRemote")
                completion?(false, [])
            }
        }
    }
}

public import Support

/// Where models come from: a directory, a server, a bucket.
public protocol ModelSource: Sendable {
    /// The bytes of the model called `name`, all of them.
    ///
    /// - Throws: `.noInput` when there is none, `.badData` when it is larger than `limit` bytes, others as the source has them.
    func model(named name: String, limit: Int) async throws(Fault) -> [UInt8]
}

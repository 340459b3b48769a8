public import Support

/// Where models come from: a directory, a server, a bucket.
public protocol ModelSource: Sendable {
    /// The bytes of the model called `name`, all of them.
    ///
    /// Errors: `.noInput` when there is none, `.badData` when it is larger than `limit` bytes, others as the source has them.
    func model(named name: String, limit: Int) async throws(Fault) -> [UInt8]
}

/// Models that lie in a directory.
public struct DirectoryModelSource: ModelSource {
    public let directory: String

    public init(_ directory: String) { self.directory = directory }

    /// Errors: also `.usage` for a name that leads out of the directory.
    public func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        guard !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            throw Fault(.usage, "\"\(name)\" is no name of a model in \(directory)")
        }
        return try Files.read("\(directory)/\(name)", limit: limit)
    }
}

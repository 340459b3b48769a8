public import Support

/// Models that lie in a directory.
public struct DirectoryModelSource: ModelSource {
    /// Where the files lie.
    public let directory: String

    /// Models of a directory.
    public init(_ directory: String) { self.directory = directory }

    /// - Throws: also `.usage` for a name that leads out of the directory.
    public func model(named name: String, limit: Int) async throws(Fault) -> [UInt8] {
        guard !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else {
            throw Fault(.usage, "\"\(name)\" is no name of a model in \(directory)")
        }
        return try Files.read("\(directory)/\(name)", limit: limit)
    }
}

package import Support

/// Files by name in a directory, as of a file server.
package struct DirectoryFolder: RemoteFolder {
    package let place: String
    private static let limit = Int(Int32.max)

    /// Makes the directory, for its owner alone, where it is missing.
    package init(_ path: String) throws(Fault) {
        place = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        if !Files.exists(place) { try Files.makeDirectory(place) }
        guard Files.isDirectory(place) else { throw Fault(.usage, "\(path) is no directory") }
    }

    package func names() throws(Fault) -> [String] { try Files.list(place) }

    package func put(_ path: String, as name: String) throws(Fault) {
        try Files.write(try Files.read(path, limit: Self.limit), to: "\(place)/\(name)", isPrivate: true)
    }

    package func fetch(_ name: String, to path: String) throws(Fault) {
        try Files.write(try Files.read("\(place)/\(name)", limit: Self.limit), to: path, isPrivate: true)
    }

    package func remove(_ name: String) throws(Fault) { try Files.remove("\(place)/\(name)") }
}

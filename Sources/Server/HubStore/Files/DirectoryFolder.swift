package import Support

/// Files by name in a directory, as of a file server.
package struct DirectoryFolder: RemoteFiles {
    package let place: String
    private static let limit = Int(Int32.max)

    /// - Throws: `.noInput` where there is no such directory: a file server may not be there yet.
    package init(_ path: String) throws(Fault) {
        place = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard Files.isDirectory(place) else { throw Fault(.noInput, "there is no directory \(path)", remedy: "Make or mount it first.") }
    }

    package func put(_ path: String, as name: String) throws(Fault) {
        try Files.write(try Files.read(path, limit: Self.limit), to: "\(place)/\(name)", isPrivate: true)
    }

    package func fetch(_ name: String, to path: String) throws(Fault) {
        try Files.write(try Files.read("\(place)/\(name)", limit: Self.limit), to: path, isPrivate: true)
    }
}

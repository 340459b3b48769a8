internal import Support

/// The database's file before SQLite sees it.
enum HubFile {
    /// Makes it with its directory, for its owner alone: SQLite's own files beside it get the same mode.
    static func prepare(_ path: String) throws(Fault) {
        guard !Files.exists(path) else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try Files.makeDirectory(String(path[..<slash])) }
        try Files.write([], to: path, isPrivate: true)
    }
}

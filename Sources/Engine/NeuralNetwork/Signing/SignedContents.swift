internal import Cryptography
package import Support

/// The files that one signature is for, each with its SHA-256: a single one, or all of a directory. No mixing and matching.
package struct SignedContents: Sendable, Equatable {
    package struct File: Sendable, Equatable {
        /// Within the directory, with "/"; "." for a single file.
        package var name: String
        /// 64 hexadecimal digits.
        package var digest: String
    }

    /// What was signed: its last path component.
    package var name: String
    /// In the order of their names.
    package var files: [File]

    /// A file whose bytes are at hand.
    package init(_ bytes: [UInt8], name: String) { (self.name, files) = (name, [File(name: ".", digest: Digest.text(bytes))]) }

    /// A file, or a directory with all in it but git's own files.
    ///
    /// - Throws: `.badData` for links and an empty directory; those of reading files.
    package init(_ path: String) throws(Fault) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard Files.isDirectory(path) else {
            let bytes = try Files.read(path, limit: NetworkFile.sizeLimit)
            (self.name, files) = (name, [File(name: ".", digest: Digest.text(bytes))])
            return
        }
        var files: [File] = []
        try Self.collect(path, "", &files)
        guard !files.isEmpty else { throw Fault(.badData, "\(path) has no files") }
        (self.name, self.files) = (name, files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }

    /// Of no interest to a model.
    static let gitNames = [".git", ".gitattributes", ".github", ".gitignore"]

    private static func collect(_ root: String, _ prefix: String, _ files: inout [File]) throws(Fault) {
        for entry in try Files.list(prefix.isEmpty ? root : "\(root)/\(prefix)") {
            let name = prefix.isEmpty ? entry : "\(prefix)/\(entry)", path = "\(root)/\(name)"
            if prefix.isEmpty && gitNames.contains(entry) { continue }
            guard Files.target(ofLink: path).isEmpty else { throw Fault(.badData, "\(path) is a link; what is signed has none") }
            if Files.isDirectory(path) {
                try collect(root, name, &files)
            } else {
                files.append(File(name: name, digest: Digest.text(try Files.read(path, limit: NetworkFile.sizeLimit))))
            }
        }
    }

    /// SHA-256 over the files' digests, one after the other.
    var digest: String { Self.digest(files) }

    static func digest(_ files: [File]) -> String { Digest.text(files.flatMap { Hexadecimal.bytes($0.digest) ?? [] }) }
}

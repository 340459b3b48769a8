import Glibc
internal import Support

/// A new directory, empty.
package func temporaryDirectory() -> String {
    var template = Array("/tmp/gaitway-test-XXXXXX".utf8CString)
    return String(cString: mkdtemp(&template))
}

/// A directory with files in it, as a machine's; its path ends with "/".
package func machine(_ files: [String: String]) throws -> String {
    let root = temporaryDirectory() + "/"
    for (path, text) in files {
        try Files.makeDirectory(root + path.split(separator: "/").dropLast().joined(separator: "/"))
        try Files.write(Array(text.utf8), to: root + path)
    }
    return root
}

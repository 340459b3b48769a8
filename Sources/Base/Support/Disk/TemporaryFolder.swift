internal import Glibc
internal import SystemPackage

/// A folder of one's own, in $TMPDIR or /tmp unless another place is named, mode 700, with what lies in it gone at the end.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameters:
    ///   - purpose: "gaitway-PURPOSE-XXXXXX" is its name.
    ///   - place: the folder that it is made in.
    /// - Throws: those of writing where it is to be.
    package init(for purpose: String, in place: String? = nil) throws(Fault) {
        let given = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let base = place ?? (given.hasPrefix("/") ? given : "/tmp")
        var name = Array("\(base)/gaitway-\(purpose)-XXXXXX".utf8CString)
        // mkdtemp gives back the name's own memory, which may be gone after the call.
        guard unsafe mkdtemp(&name) != nil else { throw Fault(writing: base, Errno(rawValue: errno)) }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Removes a file, or a folder with all in it. Links are removed, not followed.
    package static func remove(_ path: String) {
        guard unsafe unlink(path) != 0, errno == EISDIR else { return }
        for name in (try? Files.list(path)) ?? [] { remove(path + "/" + name) }
        Files.removeDirectory(path)
    }
}

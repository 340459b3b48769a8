internal import Glibc
internal import Support
internal import SystemPackage

/// A folder of one's own, with what lies in it gone at the end.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Throws: `.failure` where there is no room.
    init() throws(Fault) {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var name = Array((base + "/gaitway-page-XXXXXX").utf8CString)
        guard let made = unsafe mkdtemp(&name) else { throw Fault(writing: base, Errno(rawValue: errno)) }
        path = unsafe String(cString: made)
    }

    deinit {
        for name in (try? Files.list(path)) ?? [] { try? Files.remove(path + "/" + name) }
        Files.removeDirectory(path)
    }
}

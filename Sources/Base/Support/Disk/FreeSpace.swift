internal import Glibc

/// Room on a file system.
package enum FreeSpace {
    /// Bytes that an ordinary user may still write on the file system of `path`; nil, with errno set, where it cannot be asked.
    package static func bytes(_ path: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}

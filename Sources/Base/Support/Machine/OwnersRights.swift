internal import Glibc

/// Root's commands in a directory of another user's: what that user put there must not lead root elsewhere.
package enum OwnersRights {
    /// Runs `body` with the rights of a directory's owner where this process is root's; as it is otherwise.
    ///
    /// - Throws: what `body` throws; `.permission` where the rights cannot be given up.
    package static func run<Value>(in directory: String, _ body: () throws(Fault) -> Value) throws(Fault) -> Value {
        var status = stat()
        guard geteuid() == 0, unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid != 0 else {
            return try body()
        }
        let group = getegid()
        guard setegid(status.st_gid) == 0 else { throw Fault(.permission, "the rights of the owner of \(directory) cannot be taken") }
        defer { _ = setegid(group) }
        guard seteuid(status.st_uid) == 0 else { throw Fault(.permission, "the rights of the owner of \(directory) cannot be taken") }
        defer { _ = seteuid(0) }
        return try body()
    }
}

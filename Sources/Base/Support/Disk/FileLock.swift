internal import Glibc
internal import SystemPackage

/// One process at a time: a lock that ends with its process at the latest.
package struct FileLock: Sendable {
    private let file: FileDescriptor

    /// Takes the lock at once; nil when another process has it.
    ///
    /// - Throws: those of opening the file.
    package init?(_ path: String) throws(Fault) {
        do { file = try Self.open(path) } catch { throw Fault(writing: path, error) }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let error = Errno(rawValue: errno)
            try? file.close()
            // Some file systems have no locks.
            guard error == .wouldBlock else { throw Fault(.failure, "\(path) cannot be locked: \(error)") }
            return nil
        }
    }

    // Root may take a lock in somebody else's directory: what that one put there is no way to another file, and only what was just made
    // changes its owner.
    private static func open(_ path: String) throws(Errno) -> FileDescriptor {
        let options: FileDescriptor.OpenOptions = [.create, .noFollow, .closeOnExec]
        do {
            do {
                let made = try FileDescriptor.open(
                    FilePath(path), .readWrite, options: options.union(.exclusiveCreate), permissions: .ownerReadWrite)
                Files.inheritOwner(made.rawValue, path)
                return made
            } catch Errno.fileExists {
                let found = try FileDescriptor.open(FilePath(path), .readWrite, options: options, permissions: .ownerReadWrite)
                var status = stat()
                guard unsafe fstat(found.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1 else {
                    try? found.close()
                    throw Errno.permissionDenied
                }
                return found
            }
        } catch {
            throw error as? Errno ?? Errno(rawValue: EIO)
        }
    }

    /// Waits for it; nil when `cancellation` was raised meanwhile.
    package init?(_ path: String, _ cancellation: Stop) throws(Fault) {
        while true {
            if let lock = try FileLock(path) {
                self = lock
                return
            }
            guard !cancellation.isRaised else { return nil }
            Pause.milliseconds(50)
        }
    }

    /// Gives it back, also where a process that is just being started has a copy of the descriptor until it runs its own program.
    package func release() {
        _ = flock(file.rawValue, LOCK_UN)
        try? file.close()
    }
}

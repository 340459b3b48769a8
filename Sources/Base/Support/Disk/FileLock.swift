internal import Glibc
internal import SystemPackage

/// One process at a time: a lock that ends with its process at the latest.
package struct FileLock: Sendable {
    private let file: FileDescriptor

    /// Takes the lock at once; nil when another process has it.
    ///
    /// - Throws: those of opening the file.
    package init?(_ path: String) throws(Fault) {
        do {
            file = try FileDescriptor.open(FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
            Files.inheritOwner(file.rawValue, path)
        } catch {
            throw Fault(writing: path, error as? Errno ?? Errno(rawValue: EIO))
        }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            try? file.close()
            return nil
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

    package func release() { try? file.close() }
}

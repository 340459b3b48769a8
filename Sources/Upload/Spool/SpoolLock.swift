internal import Glibc
internal import Support
internal import SystemPackage

/// One process at a time sends a spool's files.
struct SpoolLock {
    private let file: FileDescriptor

    /// Waits for it; nil when `cancellation` was raised meanwhile.
    init?(_ directory: String, _ cancellation: StopFlag) throws(Fault) {
        do {
            file = try FileDescriptor.open(FilePath("\(directory)/lock"), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
            Files.inheritOwner(file.rawValue, "\(directory)/lock")
        } catch {
            throw Fault(writing: "\(directory)/lock", error as? Errno ?? Errno(rawValue: EIO))
        }
        while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard !cancellation.isRaised else {
                try? file.close()
                return nil
            }
            Pause.milliseconds(50)
        }
    }

    func release() { try? file.close() }
}

internal import Glibc
internal import SystemPackage

/// The machine's own file system.
package struct SystemDisk: Disk {
    package init() {}

    package func makeDirectory(_ path: String) throws(Fault) { try Files.makeDirectory(path) }

    package func create(_ path: String) throws(Fault) -> CInt {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .append, .closeOnExec], permissions: .ownerReadWrite)
            Files.inheritOwner(file.rawValue, path)
            _ = flock(file.rawValue, LOCK_EX | LOCK_NB)
            return file.rawValue
        } catch {
            throw Self.fault(path, error)
        }
    }

    package func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault) {
        do { try FileDescriptor(rawValue: file).writeAll(bytes) } catch { throw Self.fault(path, error) }
    }

    package func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault) {
        do {
            let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec)
            defer { try? file.close() }
            try file.writeAll(bytes)
            guard ftruncate(file.rawValue, off_t(bytes.count)) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw Self.fault(path, error)
        }
    }

    package func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault) {
        guard ftruncate(file, off_t(length)) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    package func synchronise(_ file: CInt, _ path: String) throws(Fault) {
        guard fsync(file) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    package func close(_ file: CInt) {
        _ = flock(file, LOCK_UN) // A process that is just being started may have a copy of the descriptor.
        _ = Glibc.close(file)
    }

    package func rename(_ path: String, to other: String) throws(Fault) {
        guard unsafe Glibc.rename(path, other) == 0 else {
            let cause = Errno(rawValue: errno)
            if cause == .improperLink {
                throw Fault(
                    .configuration, "\(path) and \(other) are on two file systems, so a file cannot be moved on as a whole",
                    remedy: "Put the whole directory on one file system.")
            }
            throw Fault(writing: other, cause)
        }
    }

    package func remove(_ path: String) throws(Fault) {
        guard unsafe unlink(path) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    package func synchronise(directory path: String) throws(Fault) { try Files.synchronise(directory: path) }

    package func freeBytes(_ path: String) throws(Fault) -> Int64 {
        guard let free = FreeSpace.bytes(path) else { throw Fault(writing: path, Errno(rawValue: errno)) }
        return free
    }

    private static func fault(_ path: String, _ error: any Error) -> Fault {
        (error as? Errno).map { Fault(writing: path, $0) } ?? Fault(.failure, "cannot write \(path): \(error)")
    }
}

internal import Glibc
internal import SystemPackage

/// The machine's own file system.
public struct SystemDisk: Disk {
    public init() {}

    public func makeDirectory(_ path: String) throws(Fault) { try Files.makeDirectory(path) }

    public func create(_ path: String) throws(Fault) -> CInt {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .append, .closeOnExec], permissions: .ownerReadWrite)
            Files.inheritOwner(file.rawValue, path)
            _ = flock(file.rawValue, LOCK_EX | LOCK_NB)
            return file.rawValue
        } catch {
            throw Self.fault(path, error)
        }
    }

    public func append(_ bytes: ArraySlice<UInt8>, to file: CInt, _ path: String) throws(Fault) {
        do { try FileDescriptor(rawValue: file).writeAll(bytes) } catch { throw Self.fault(path, error) }
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(Fault) {
        do {
            let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec)
            defer { try? file.close() }
            try file.writeAll(bytes)
            guard ftruncate(file.rawValue, off_t(bytes.count)) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw Self.fault(path, error)
        }
    }

    public func truncate(_ file: CInt, to length: Int64, _ path: String) throws(Fault) {
        guard ftruncate(file, off_t(length)) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    public func synchronise(_ file: CInt, _ path: String) throws(Fault) {
        guard fsync(file) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    public func close(_ file: CInt) { _ = Glibc.close(file) }

    public func rename(_ path: String, to other: String) throws(Fault) {
        guard unsafe Glibc.rename(path, other) == 0 else {
            let cause = Errno(rawValue: errno)
            if cause == .improperLink {
                throw Fault(.configuration, "\(path) and \(other) are on two file systems, so a file cannot be moved on as a whole", remedy: "Put the whole directory on one file system.")
            }
            throw Fault(writing: other, cause)
        }
    }

    public func remove(_ path: String) throws(Fault) {
        guard unsafe unlink(path) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    public func synchronise(directory path: String) throws(Fault) { try Files.synchronise(directory: path) }

    public func freeBytes(_ path: String) throws(Fault) -> Int64 {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    private static func fault(_ path: String, _ error: any Error) -> Fault {
        (error as? Errno).map { Fault(writing: path, $0) } ?? Fault(.failure, "cannot write \(path): \(error)")
    }
}

internal import Glibc
internal import SystemPackage

/// Whole files in and out, with faults that name the path and the cause.
package enum Files {
    // Bytes read at once.
    private static let piece = 1 << 20

    /// The bytes of a file of at most `limit` bytes.
    ///
    /// - Throws: `.noInput` when it cannot be opened, `.permission`, `.badData` when it is longer than `limit`.
    package static func read(_ path: String, limit: Int) throws(Fault) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            defer { try? file.close() }
            var bytes: [UInt8] = [], status = stat()
            let isFile = unsafe fstat(file.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            // Files of the kernel have the size of a page, whatever they hold.
            let isLong = isFile && status.st_size > max(limit, piece)
            if isFile, !isLong, let size = Int(exactly: status.st_size), size > piece { bytes.reserveCapacity(size + piece + 1) }
            while true {
                let before = bytes.count
                guard before <= limit, !isLong else {
                    throw Fault(.badData, "\(path) is longer than \(limit) bytes", remedy: "Is it the right file?")
                }
                let size = min(piece, limit - before) + 1
                bytes.append(contentsOf: repeatElement(0, count: size))
                let count = try unsafe bytes.withUnsafeMutableBytes { buffer in
                    try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[before...]))
                }
                bytes.removeLast(size - count)
                if count == 0 { return bytes }
            }
        } catch let fault as Fault {
            throw fault
        } catch let error as Errno {
            throw Fault(opening: path, error)
        } catch {
            throw Fault(.failure, "cannot read \(path): \(error)")
        }
    }

    /// Replaces a file as a whole: written beside it, synchronised, renamed over it. A reader sees the old or the new one. A device is
    /// written to, never replaced.
    ///
    /// - Parameters:
    ///   - isPrivate: only its owner may read it.
    ///   - isPublished: everybody may read it, whatever the umask; not synchronised, since it is soon written anew.
    /// - Throws: `.permission`, `.noInput` when the directory is missing, `.failure` for a full disk and the like.
    package static func write(_ bytes: [UInt8], to path: String, isPrivate: Bool = false, isPublished: Bool = false) throws(Fault) {
        let temporary = "\(path).\(getpid()).part"
        do {
            if isDevice(path) {
                let device = try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec)
                defer { try? device.close() }
                _ = try device.writeAll(bytes)
                return
            }
            unsafe unlink(temporary)
            let file = try FileDescriptor.open(
                FilePath(temporary), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead])
            do {
                defer { try? file.close() }
                inheritOwner(file.rawValue, path)
                try file.writeAll(bytes)
                guard (isPublished ? fchmod(file.rawValue, 0o644) : fsync(file.rawValue)) == 0 else { throw Errno(rawValue: errno) }
            }
            guard unsafe rename(temporary, path) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unsafe unlink(temporary)
            if let error = error as? Errno { throw Fault(writing: path, error) }
            throw Fault(.failure, "cannot write \(path): \(error)")
        }
        if !isPublished { try synchroniseDirectory(of: path) }
    }

    /// Makes a file as a whole where there is none: written beside it, synchronised, linked.
    ///
    /// - Returns: false where there is one, which stays as it is.
    /// - Throws: those of ``write(_:to:isPrivate:isPublished:)``.
    package static func make(_ bytes: [UInt8], at path: String, isPrivate: Bool = false) throws(Fault) -> Bool {
        let whole = "\(path).\(getpid()).new"
        try write(bytes, to: whole, isPrivate: isPrivate)
        defer { unsafe unlink(whole) }
        if unsafe link(whole, path) == 0 {
            try synchroniseDirectory(of: path)
            return true
        }
        let error = errno
        guard error != EEXIST, !exists(path) else { return false }
        // Some file systems of memory cards have no links.
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error), unsafe rename(whole, path) == 0 else {
            throw Fault(writing: path, Errno(rawValue: error))
        }
        try synchroniseDirectory(of: path)
        return true
    }

    /// What stands in the way of writing a file, before long work is done for it.
    ///
    /// - Parameter read: files, or directories of recordings, that the work reads and must not replace.
    /// - Throws: `.noInput` where its directory is missing, `.permission` where that may not be written, `.usage` for a directory, a pipe
    ///   or what is read.
    package static func requirePlace(for path: String, reading read: [String] = []) throws(Fault) {
        guard !path.isEmpty else { throw Fault(.usage, "the name of the file to write is empty", remedy: "Name a file.") }
        guard !isDirectory(path) else { throw Fault(.usage, "\(path) is a directory", remedy: "Name a file in it.") }
        guard !exists(path) || isFile(path) || isDevice(path) else {
            throw Fault(.usage, "\(path) is a pipe or socket, which a file would replace", remedy: "Name another file.")
        }
        guard !read.contains(where: { replaces(path, $0) }) else {
            throw Fault(.usage, "\(path) is read, and the result would replace it", remedy: "Name another file.")
        }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard isDirectory(parent) else { throw Fault(writing: path, .noSuchFileOrDirectory) }
        guard !isDevice(path), unsafe access(parent, W_OK) != 0 else { return }
        throw Fault(writing: path, Errno(rawValue: errno))
    }

    // What recordings lie in.
    private static let recordings = [".csv", ".i16", ".txt"]

    // Whether writing one would change what is read of the other.
    private static func replaces(_ path: String, _ read: String) -> Bool {
        guard isFile(path), exists(read) else { return false }
        guard isDirectory(read) else { return (try? identity(path)) == (try? identity(read)) }
        return recordings.contains(where: path.hasSuffix) && resolved(path).hasPrefix(resolved(read) + "/")
    }

    // /dev/null, a terminal, or whatever /dev/stdout leads to.
    private static func isDevice(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFCHR || path.hasPrefix("/dev/") && kind == S_IFIFO
    }

    /// Where a symbolic link points; empty when it is none or may not be read.
    package static func target(ofLink path: String) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe readlink(path, $0.bindMemory(to: CChar.self).baseAddress!, $0.count) }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// What a path leads to over links; itself where there is nothing.
    package static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    package static func exists(_ path: String) -> Bool { unsafe path.withCString { unsafe access($0, F_OK) == 0 } } // allocates nothing

    /// When a file was last written: nanoseconds since 1970.
    package static func modified(_ path: String) throws(Fault) -> Int64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Fault(opening: path, Errno(rawValue: errno)) }
        // What a broken archive set beyond the year 2255.
        let seconds = max(-9_000_000_000, min(9_000_000_000, Int64(status.st_mtim.tv_sec)))
        return seconds * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    /// Whether nobody but its owner may read it.
    package static func isPrivate(_ path: String) throws(Fault) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Fault(opening: path, Errno(rawValue: errno)) }
        return status.st_mode & 0o077 == 0
    }

    /// Bytes of a file.
    package static func size(_ path: String) throws(Fault) -> Int64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Fault(opening: path, Errno(rawValue: errno)) }
        return Int64(status.st_size)
    }

    /// Which file a path is now; another one may get the path later.
    package struct Identity: Sendable, Equatable {
        var device: UInt64
        var number: UInt64
    }

    /// - Throws: `.noInput` where there is none.
    package static func identity(_ path: String) throws(Fault) -> Identity {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Fault(opening: path, Errno(rawValue: errno)) }
        return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    package static func isDirectory(_ path: String) -> Bool { hasKind(path, S_IFDIR) }

    /// Whether it is a file, not a directory, pipe or device.
    package static func isFile(_ path: String) -> Bool { hasKind(path, S_IFREG) }

    private static func hasKind(_ path: String, _ kind: mode_t) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == kind
    }

    /// The names in a directory, sorted; without `.` and `..`.
    package static func list(_ directory: String) throws(Fault) -> [String] {
        guard let stream = unsafe opendir(directory) else { throw Fault(opening: directory, Errno(rawValue: errno)) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// What root makes in somebody's directory is that somebody's: a command run by root must not lock the service out of its own files.
    package static func inheritOwner(_ file: CInt, _ path: String) {
        var status = stat()
        let directory = FilePath(path).removingLastComponent().string
        guard geteuid() == 0, unsafe stat(directory.isEmpty ? "." : directory, &status) == 0, status.st_uid != 0 else { return }
        _ = fchown(file, status.st_uid, status.st_gid)
    }

    /// Makes a directory, with those above it.
    ///
    /// - Parameter isPrivate: whether only its owner may look into what is made.
    package static func makeDirectory(_ path: String, isPrivate: Bool = true) throws(Fault) {
        if try makeOne(path, isPrivate) { return }
        let parent = FilePath(path).removingLastComponent().string
        if !parent.isEmpty, parent != path, !isDirectory(parent) { try makeDirectory(parent, isPrivate: isPrivate) }
        // Where its parent is there, as in /proc or since another process made it meanwhile, it is tried once more.
        guard try makeOne(path, isPrivate) else { throw Fault(writing: path, .noSuchFileOrDirectory) }
    }

    // Whether it is there now; not where it has no parent.
    private static func makeOne(_ path: String, _ isPrivate: Bool) throws(Fault) -> Bool {
        guard unsafe mkdir(path, isPrivate ? 0o700 : 0o755) == 0 else {
            let cause = Errno(rawValue: errno)
            if cause == .noSuchFileOrDirectory { return false }
            guard cause == .fileExists, isDirectory(path) else { throw Fault(writing: path, cause) }
            return true
        }
        if let made = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .noFollow, .closeOnExec]) {
            inheritOwner(made.rawValue, path)
            try? made.close()
        }
        return true
    }

    /// Makes the directory that a path lies in, where it names one.
    package static func makeDirectory(around path: String) throws(Fault) {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeDirectory(String(path[..<slash])) }
    }

    package static func remove(_ path: String) throws(Fault) {
        guard unsafe unlink(path) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
        try synchroniseDirectory(of: path)
    }

    /// Only its owner may look into a directory, which is no link.
    ///
    /// - Throws: `.permission`, `.noInput`.
    package static func makePrivate(directory path: String) throws(Fault) {
        do {
            let found = try FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .noFollow, .closeOnExec])
            defer { try? found.close() }
            guard fchmod(found.rawValue, 0o700) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw Fault(writing: path, error as? Errno ?? .ioError)
        }
    }

    /// A program that everybody may run, and its owner change.
    package static func makeExecutable(_ path: String) throws(Fault) {
        guard unsafe chmod(path, 0o755) == 0 else { throw Fault(writing: path, Errno(rawValue: errno)) }
    }

    /// Removes an empty directory; one that is not stays.
    package static func removeDirectory(_ path: String) { _ = unsafe rmdir(path) }

    // The rename itself must survive a power cut.
    private static func synchroniseDirectory(of path: String) throws(Fault) {
        let directory = FilePath(path).removingLastComponent().string
        try synchronise(directory: directory.isEmpty ? "." : directory)
    }

    /// Waits until the disk has the names in a directory.
    package static func synchronise(directory: String) throws(Fault) { try synchronise(directory, [.directory, .closeOnExec]) }

    /// What another writer wrote into a file survives a power cut.
    package static func synchronise(file: String) throws(Fault) { try synchronise(file, [.closeOnExec]) }

    private static func synchronise(_ path: String, _ options: FileDescriptor.OpenOptions) throws(Fault) {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: options)
            defer { try? file.close() }
            // Some file systems cannot synchronise a directory and say EINVAL.
            guard fsync(file.rawValue) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
        } catch {
            throw Fault(.failure, "cannot synchronise \(path): \(error)")
        }
    }
}

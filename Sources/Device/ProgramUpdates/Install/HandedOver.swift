internal import Glibc
package import Support
internal import SystemPackage

/// The folder in which the service leaves a release. The service's user may put anything there: links are not followed, and nothing that
/// is no file is read.
package struct HandedOver: ~Copyable {
    private let path: String
    private let folder: FileDescriptor

    /// nil where there is none, or something else.
    ///
    /// - Throws: `.permission`.
    package init?(_ path: String) throws(Fault) {
        do {
            let options: FileDescriptor.OpenOptions = [.directory, .noFollow, .closeOnExec]
            (self.path, folder) = (path, try FileDescriptor.open(FilePath(path), .readOnly, options: options))
        } catch Errno.noSuchFileOrDirectory, Errno.tooManySymbolicLinkLevels, Errno.notDirectory {
            return nil
        } catch {
            throw Fault(opening: path, error as? Errno ?? Errno(rawValue: EIO))
        }
    }

    deinit { try? folder.close() }

    /// All of a file.
    ///
    /// - Throws: `.noInput`, `.badData` for what is no file or longer than `limit` bytes.
    package func read(_ name: String, limit: Int) throws(Fault) -> [UInt8] {
        let shown = "\(path)/\(name)"
        let number = unsafe openat(folder.rawValue, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw Fault(opening: shown, Errno(rawValue: errno)) }
        let file = FileDescriptor(rawValue: number)
        defer { try? file.close() }
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw Fault(.badData, "\(shown) is no file") }
        guard status.st_size <= limit else { throw Fault(.badData, "\(shown) has more than \(limit) bytes") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size)), length = 0
        do {
            while length < bytes.count {
                let got = try unsafe bytes.withUnsafeMutableBytes { unsafe try file.read(into: .init(rebasing: $0[length...])) }
                if got == 0 { break }
                length += got
            }
        } catch {
            throw Fault(opening: shown, error as? Errno ?? Errno(rawValue: EIO))
        }
        return Array(bytes.prefix(length))
    }

    /// Takes something away, whatever it is; whether there was anything of that name.
    ///
    /// - Parameter place: a folder of one's own on the same disk, into which a folder is moved before it is removed.
    package func remove(_ name: String, by place: String) -> Bool {
        if unsafe unlinkat(folder.rawValue, name, 0) == 0 { return true }
        let taken = "\(place)/removed.\(UInt32.random(in: 0...UInt32.max))"
        defer { Self.remove(taken, in: AT_FDCWD) }
        return unsafe renameat(folder.rawValue, name, AT_FDCWD, taken) == 0
    }

    // A file, or a folder with all in it. Who holds one of its folders open still changes what is in there: each is opened within the one
    // before, so that no link leads elsewhere.
    private static func remove(_ name: String, in folder: CInt) {
        guard unsafe unlinkat(folder, name, 0) != 0, errno == EISDIR else { return }
        let number = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0, let stream = unsafe fdopendir(number) else { return }
        defer {
            unsafe closedir(stream)
            _ = unsafe unlinkat(folder, name, AT_REMOVEDIR)
        }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { remove(name, in: number) }
        }
    }
}

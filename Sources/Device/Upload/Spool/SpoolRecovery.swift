internal import Cryptography
internal import Glibc
package import Support
internal import SystemPackage

extension Spool {
    /// What a start after a crash or power cut found.
    package struct Recovery: Sendable, Equatable {
        /// Files of `writing` that were moved on.
        package var files = 0
        /// Their rows.
        package var rows = 0
        /// Files of which something was set aside.
        package var torn = 0
    }

    /// Moves on what a crash left in `writing`: the whole rows wait as a file of their own, what is torn is set aside. Files of a process
    /// that still runs are left to it. May be interrupted anywhere and begun again.
    package func recover() throws(Fault) -> Recovery {
        var found = Recovery()
        for name in try Files.list(writing) { try recover(name, &found) }
        for name in try Files.list(pending) where try Files.size(path(pending: name)) == 0 {
            try disk.rename(path(pending: name), to: "\(torn)/\(name)")
            found.torn += 1
        }
        try removeOrphans()
        return found
    }

    private func recover(_ name: String, _ found: inout Recovery) throws(Fault) {
        let path = "\(writing)/\(name)"
        guard let file = try? FileDescriptor.open(FilePath(path), .readWrite, options: .closeOnExec) else {
            throw Fault(opening: path, Errno(rawValue: errno))
        }
        defer { try? file.close() }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { return }
        let check = try Self.check(file, path), size = check.size
        if check.rows == 0 {
            if size == 0 { try disk.remove(path) } else { try disk.rename(path, to: "\(torn)/\(name)") }
            found.torn += size == 0 ? 0 : 1
            return
        }
        if Int64(check.whole) < size {
            // At most 64 KB of it are worth keeping: a row is shorter.
            var tail = [UInt8](repeating: 0, count: Int(min(size - Int64(check.whole), 1 << 16)))
            let got =
                (try? unsafe tail.withUnsafeMutableBytes { unsafe try file.read(fromAbsoluteOffset: Int64(check.whole), into: $0) }) ?? 0
            try disk.replace("\(torn)/\(name)", with: Array(tail.prefix(got)), in: torn)
            try disk.truncate(file.rawValue, to: Int64(check.whole), path)
            found.torn += 1
        }
        try disk.synchronise(file.rawValue, path)
        try finish(name)
        found.files += 1
        found.rows += check.rows
    }

    // Whole rows, the bytes that they take from the start, and all bytes.
    private static func check(_ file: FileDescriptor, _ path: String) throws(Fault) -> (rows: Int, whole: Int, size: Int64) {
        let isSealed = path.hasSuffix(SealedFile.suffix)
        var rows = CSVCheck(), sealed = SealedFile.Check(), offset: Int64 = 0, buffer = [UInt8](repeating: 0, count: 1 << 16)
        do {
            while true {
                let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try file.read(fromAbsoluteOffset: offset, into: $0) }
                if count == 0 { return isSealed ? (sealed.pieces, sealed.whole, offset) : (rows.rows, rows.whole, offset) }
                if isSealed { sealed.take(buffer[..<count]) } else { rows.take(buffer[..<count]) }
                offset += Int64(count)
            }
        } catch {
            throw Fault(opening: path, error as? Errno ?? Errno(rawValue: EIO))
        }
    }

    /// The whole rows of a waiting file; 0 where it cannot be read.
    func rows(of name: String) -> Int {
        let path = path(pending: name)
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else { return 0 }
        defer { try? file.close() }
        return (try? Self.check(file, path))?.rows ?? 0
    }

    // Metadata of files that are gone, and what was being replaced.
    private func removeOrphans() throws(Fault) {
        for name in try Files.list(attributes) {
            let file = name.hasSuffix(".json") ? String(name.dropLast(5)) : ""
            if file.isEmpty || ![writing, pending, refused].contains(where: { Files.exists("\($0)/\(file)") }) {
                try disk.remove("\(attributes)/\(name)")
            }
        }
    }
}

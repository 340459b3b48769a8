internal import HubDatabase
package import Support

extension HubStore {
    /// Held by a server of a file as long as it runs.
    package static func servingLock(_ path: String) -> String { path + ".serving" }

    /// Puts a copy in the place of a hub's file.
    ///
    /// - Parameter name: what faults call the copy; its path when nil.
    /// - Returns: where the file is now that was there; nil where there was none.
    /// - Throws: `.temporary` while a server runs, `.badData` for a copy that is none of a hub's, `.configuration` for a newer one.
    package static func restore(_ copy: String, called name: String? = nil, to path: String) throws(Fault) -> String? {
        let name = name ?? copy
        guard Files.isFile(copy) else { throw Fault(.noInput, "\(name) is not there") }
        // A link leads to the disk where the hub's file belongs. On a new disk its directory is missing.
        let path = Files.resolved(path)
        try Files.makeDirectory(around: path)
        guard let lock = try FileLock(servingLock(path)) else {
            throw Fault(.temporary, "a server runs with \(path)", remedy: "Stop it first: systemctl stop gaitway-hub")
        }
        defer { lock.release() }
        let new = path + ".restoring"
        if Files.exists(new) { try Files.remove(new) }
        try SQLiteFile.prepare(new)
        do throws(Fault) { try SQLiteFile.unpack(copy, called: name, to: new, Migrations.all) } catch {
            try? Files.remove(new)
            throw error
        }
        let old = "\(path).before-\(SystemTime.wallSeconds)", kept = Files.exists(path) ? old : nil
        // Its log belongs to it: without, what was written last would be missing. Where the file is gone and its log is not, SQLite would
        // take the log as the copy's.
        for end in ["-wal", "-shm", ""] where Files.exists(path + end) { try SystemDisk().rename(path + end, to: old + end) }
        try SystemDisk().rename(new, to: path)
        return kept
    }
}

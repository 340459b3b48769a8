package import Support

/// Copies of a hub's file in a folder, each named by its moment: `hub-20261124T180000Z.sqlite`.
package struct BackupFolder: BackupPlace {
    package let path: String

    /// Makes the folder, for its owner alone, where it is not there.
    ///
    /// - Throws: those of the disk; `.usage` where it is a file.
    package init(_ path: String) throws(Fault) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        if Files.exists(self.path) && !Files.isDirectory(self.path) {
            throw Fault(.usage, "\(path) is a file", remedy: "Copies that are made again and again take a folder.")
        }
        guard !Files.exists(self.path) else { return }
        try Files.makeDirectory(self.path)
        try Files.makePrivate(directory: self.path)
    }

    /// The copies that are whole, the oldest first.
    ///
    /// - Throws: `.noInput`, `.permission`.
    package func copies() throws(Fault) -> [BackupCopy] {
        var found: [BackupCopy] = []
        for name in try Files.list(path) {
            if let moment = BackupCopy.moment(of: name), Files.isFile("\(path)/\(name)") {
                found.append(BackupCopy(path: "\(path)/\(name)", moment: moment))
            }
        }
        return found.sorted { $0.moment < $1.moment }
    }

    /// Copies what a hub knows now, after it removed what is older than `kept` seconds but for the newest copy. A copy has its name once it
    /// is whole.
    ///
    /// - Throws: those of ``HubStore/backUp(to:)``; `.temporary` while another process makes a copy here.
    package func add(_ store: HubStore, now: Double, kept: Double) async throws(Fault) -> BackupCopy {
        guard let lock = try FileLock("\(path)/.lock") else { throw Fault(.temporary, "another backup goes to \(path)") }
        defer { lock.release() }
        let name = "\(path)/\(BackupCopy.name(of: now))", part = "\(path)/hub.part", old = try copies()
        // A full disk gets room first.
        for copy in old where copy.moment < now - kept && copy != old.last { try Files.remove(copy.path) }
        if Files.exists(part) { try Files.remove(part) }
        try await store.backUp(to: part)
        try Files.synchronise(file: part)
        try SystemDisk().rename(part, to: name)
        try Files.synchronise(directory: path)
        if let last = old.last, last.moment < now - kept { try Files.remove(last.path) }
        return BackupCopy(path: name, moment: now.rounded(.down))
    }
}

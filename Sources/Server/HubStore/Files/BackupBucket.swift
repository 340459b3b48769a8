package import Support

/// Copies of a hub's file on another machine.
package struct BackupBucket: BackupPlace {
    private let remote: any RemoteFolder
    // Beside the hub's file, where there is room for another.
    private let part: String

    /// - Parameter hub: the hub's file.
    package init(_ remote: any RemoteFolder, of hub: String) { (self.remote, part) = (remote, hub + ".backup") }

    package var path: String { remote.place }

    package func copies() throws(Fault) -> [BackupCopy] {
        try remote.names().compactMap { name in
            BackupCopy.moment(of: name).map { BackupCopy(path: "\(path)/\(name)", moment: $0) }
        }
        .sorted { $0.moment < $1.moment }
    }

    /// - Throws: those of ``HubStore/backUp(to:)`` and of the other machine; `.temporary` while another process makes a copy of this hub.
    package func add(_ store: HubStore, now: Double, kept: Double) async throws(Fault) -> BackupCopy {
        guard let lock = try FileLock(part + ".lock") else { throw Fault(.temporary, "another backup of this hub is made") }
        defer { lock.release() }
        let name = BackupCopy.name(of: now)
        if Files.exists(part) { try Files.remove(part) }
        defer { try? Files.remove(part) }
        try await store.backUp(to: part)
        try remote.put(part, as: name)
        // What is old goes once something newer is there.
        for copy in try copies() where copy.moment < now - kept && copy.moment < now.rounded(.down) {
            try remote.remove(String(copy.path.dropFirst(path.count + 1)))
        }
        return BackupCopy(path: "\(path)/\(name)", moment: now.rounded(.down))
    }

    /// A copy as a file of this machine, which its caller removes.
    package func fetch(_ copy: BackupCopy) throws(Fault) -> String {
        try remote.fetch(String(copy.path.dropFirst(path.count + 1)), to: part)
        return part
    }
}

package import Support

/// Copies of a hub's file, one after the other.
package struct BackupSeries: Sendable {
    private let path: String, place: any BackupPlace, kept: Double
    private var open: (store: HubStore, identity: Files.Identity)?
    private var isDue = true

    /// - Parameters:
    ///   - path: the hub's file.
    ///   - kept: seconds that a copy is kept.
    package init(of path: String, in place: any BackupPlace, kept: Double) {
        (self.path, self.place, self.kept) = (path, place, kept)
    }

    /// Copies what the hub knows, where that is other than in the copy before.
    ///
    /// - Returns: the copy; nil where nothing changed.
    /// - Throws: `.noInput` while the file is not there, which makes none; those of ``BackupPlace/add(_:now:kept:)``. The next call tries
    ///   again.
    package mutating func next(now: Double) async throws(Fault) -> BackupCopy? {
        let identity = try Files.identity(path)
        // After a restore the file of before is gone, and still open here.
        if open?.identity != identity {
            (open, isDue) = ((try await HubStore(path), identity), true)
        }
        guard let store = open?.store else { return nil }
        if try await store.forgetStale() { isDue = true }
        guard isDue else { return nil }
        let made = try await place.add(store, now: now, kept: kept)
        isDue = false
        return made
    }
}

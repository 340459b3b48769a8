package import Support

/// Where a board's models lie.
package enum StoreFolder {
    package static var path: String { Places.state + "/models" }

    /// Files that somebody puts there are taken as new models; names that begin with "." are left alone.
    package static func inbox(_ store: String = path) -> String { store + "/drop" }

    /// Lists of keys that came after the one of `trusted_key`.
    package static func keys(_ store: String = path) -> String { store + "/keys.json" }

    /// The lock of the program that changes models while it runs.
    package static func lock(_ store: String = path) throws(Fault) -> FileLock? { try FileLock(store + "/lock") }

    /// Whether a running program has it.
    package static func isHeld() throws(Fault) -> Bool {
        guard Files.isDirectory(path) else { return false }
        guard let lock = try lock() else { return true }
        lock.release()
        return false
    }
}

package import Support

/// Files by name on another machine.
package protocol RemoteFiles: Sendable {
    var place: String { get }
    /// Whole or not at all.
    func put(_ path: String, as name: String) throws(Fault)
    func fetch(_ name: String, to path: String) throws(Fault)
}

/// The same, where they can be listed and removed.
package protocol RemoteFolder: RemoteFiles {
    func names() throws(Fault) -> [String]
    func remove(_ name: String) throws(Fault)
}

package import Support

/// Files by name on another machine.
package protocol RemoteFolder: Sendable {
    var place: String { get }
    func names() throws(Fault) -> [String]
    /// Whole or not at all.
    func put(_ path: String, as name: String) throws(Fault)
    func fetch(_ name: String, to path: String) throws(Fault)
    func remove(_ name: String) throws(Fault)
}

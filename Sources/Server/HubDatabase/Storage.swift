package import Support

/// Where a hub's tables are.
package protocol Storage: Sendable {
    /// What faults call it; without a password.
    var name: String { get }

    /// Runs `body` alone of all that ``write(tellsOthers:_:)`` runs, of any process, and keeps all of what it did or nothing. It may run
    /// again where the connection was lost before anything was kept, or another transaction was in its way.
    ///
    /// - Parameter tellsOthers: whether other servers are to forget what they remember (``isChanged()``), where anything changed.
    func write<Value: Sendable>(
        tellsOthers: Bool, _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(Fault) -> Value

    /// The same beside others: for statements that need no look at what is there.
    func add<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value

    /// Runs `body` on what is there at one moment.
    func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws(Fault) -> Value

    /// Whether another process may have changed anything with ``write(tellsOthers:_:)`` since the last call.
    func isChanged() async throws(Fault) -> Bool

    /// Whether several servers may use it at once.
    var isShared: Bool { get }

    /// Whether this process is the one of all servers that does a thing: another number each time that it begins to be, nil where another
    /// one is. It stays so until its connection ends, which it may notice a second later; where a machine vanishes, half a minute.
    func leads(_ task: String) async -> Int?
}

import ArgumentParser
import Foundation
import HubStore
import Support

/// Where the hub's file is, and whose things are meant.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The hub's file. (default: hub.sqlite below $STATE_DIRECTORY, or ~/.local/state/gaitway-hub)", valueName: "file"),
        completion: .file()
    )
    var data: String?
    @Option(
        help: ArgumentHelp(
            """
            PostgreSQL (12 or newer) in the place of a file: postgresql://[USER@][HOST][:PORT]/DATABASE. Its password belongs in \
            ~/.pgpass. (default: $GAITWAY_HUB_DATABASE)
            """, valueName: "address"))
    var database: String?
    @Option(help: ArgumentHelp("The organisation.", valueName: "name"))
    var org = "default"

    func validate() throws {
        guard data == nil || database == nil else { throw ValidationError("--data and --database are one or the other") }
        if let named = database ?? (data == nil ? Self.named : nil), !HubStore.isDatabase(named) {
            throw ValidationError("--database and $GAITWAY_HUB_DATABASE begin with postgresql://")
        }
    }

    /// A file's path, or a database's address.
    var path: String { database ?? data ?? Self.named ?? Self.place }

    /// What a hub has made already.
    ///
    /// - Throws: `.noInput` where there is none, since a mistyped name would make one; those of ``make()``.
    func open() async throws(Fault) -> HubStore {
        guard HubStore.isDatabase(path) || Files.exists(path) else {
            throw Fault(.noInput, "there is no hub's file \(path)", remedy: "gaitway-hub serve, tokens create and crowd start make one.")
        }
        return try await HubStore(path, makes: false)
    }

    /// The same, made where it is missing.
    func make() async throws(Fault) -> HubStore { try await HubStore(path) }

    private static var named: String? { environment["GAITWAY_HUB_DATABASE"].flatMap { $0.isEmpty ? nil : $0 } }
    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    private static var place: String {
        if let given = environment["STATE_DIRECTORY"] { return given + "/hub.sqlite" }
        return (environment["XDG_STATE_HOME"] ?? (environment["HOME"] ?? ".") + "/.local/state") + "/gaitway-hub/hub.sqlite"
    }

    /// - Parameter others: what does the same for a database.
    /// - Throws: `.usage` where it is no file.
    func requireFile(_ others: String) throws(Fault) {
        guard HubStore.isDatabase(path) else { return }
        throw Fault(.usage, "the hub's data is in PostgreSQL, not in a file", remedy: "Use \(others).")
    }

    static var now: Double { SystemTime.wallTime }
}

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
    @Option(help: ArgumentHelp("The organisation.", valueName: "name"))
    var org = "default"

    var path: String { data ?? Self.place }

    /// A hub's file that is there.
    ///
    /// - Throws: `.noInput` where there is none, since a mistyped name would make one; those of ``make()``.
    func open() async throws(Fault) -> HubStore {
        guard Files.exists(path) else {
            throw Fault(.noInput, "there is no hub's file \(path)", remedy: "gaitway-hub serve, tokens create and crowd start make one.")
        }
        return try await make()
    }

    /// The same, made where it is missing.
    func make() async throws(Fault) -> HubStore { try await HubStore(path) }

    private static var place: String {
        let environment = ProcessInfo.processInfo.environment
        if let given = environment["STATE_DIRECTORY"] { return given + "/hub.sqlite" }
        return (environment["XDG_STATE_HOME"] ?? (environment["HOME"] ?? ".") + "/.local/state") + "/gaitway-hub/hub.sqlite"
    }

    static var now: Double { SystemTime.wallTime }
}

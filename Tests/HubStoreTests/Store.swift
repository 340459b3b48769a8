import Glibc
import Support
import Testing

@testable import HubDatabase
@testable import HubStore

enum Store {
    /// In a directory of its own; with GAITWAY_POSTGRES, an address, in a schema of its own there.
    static func temporary() async throws -> HubStore { address == nil ? try await file() : try await HubStore(schema()) }

    /// The address of a schema that is empty.
    static func schema() async throws -> String {
        let address = try #require(address), connection = PostgresConnection(address)
        let schema = "t\(Secret.identifier().filter { $0.isLetter || $0.isNumber }.lowercased())"
        try connection.open()
        try connection.script("CREATE SCHEMA \(schema)")
        return "\(address)\(address.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema)"
    }

    static func file() async throws -> HubStore { try await HubStore("/tmp/gaitway-hub-tests/\(Secret.identifier())/hub.sqlite") }

    /// Of PostgreSQL; nil where tests use files.
    static var address: String? { unsafe getenv("GAITWAY_POSTGRES").map { unsafe String(cString: $0) } }
}

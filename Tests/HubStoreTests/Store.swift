import Glibc
import Support

@testable import HubDatabase
@testable import HubStore

enum Store {
    /// In a directory of its own; with GAITWAY_POSTGRES, an address, in a schema of its own there.
    static func temporary() async throws -> HubStore {
        guard let address else { return try await file() }
        let connection = PostgresConnection(address), schema = "t\(Secret.identifier().filter { $0.isLetter || $0.isNumber }.lowercased())"
        try connection.open()
        try connection.script("CREATE SCHEMA \(schema)")
        return try await HubStore("\(address)\(address.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema)")
    }

    static func file() async throws -> HubStore { try await HubStore("/tmp/gaitway-hub-tests/\(Secret.identifier())/hub.sqlite") }

    /// Of PostgreSQL; nil where tests use files.
    static var address: String? { unsafe getenv("GAITWAY_POSTGRES").map { unsafe String(cString: $0) } }
}

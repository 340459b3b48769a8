import Support

@testable import HubStore

enum Store {
    /// In a directory of its own.
    static func temporary() throws -> HubStore { try HubStore("/tmp/gaitway-hub-tests/\(Secret.identifier())/hub.sqlite") }
}

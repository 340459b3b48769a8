import ArgumentParser
import HubStore
import Support

extension Devices {
    struct Waiting: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Boards that ask to register, the oldest first.",
            discussion: "Where the server runs with --approve. A board prints the same key when it registers.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            let store = try await store.open()
            var table = OutputTable(names: ["device_identifier", "key", "asked", "status"])
            table.rows = try await store.waiting(org: self.store.org).map {
                [$0.identifier, $0.key ?? "", OutputTable.time($0.asked), $0.isApproved ? "approved" : "waiting"]
            }
            table.print(json: json)
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a board that waits register.",
            discussion: "With the key that it has shown, and no other; it registers again then.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its own name.") var device: String

        func run() async throws {
            let store = try await store.open(), board = try await store.find(waiting: device, self.store.org)
            _ = try await store.approve(waiting: board.id, org: self.store.org)
        }
    }

    struct Refuse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a board that waits.",
            discussion: "Revoke its bootstrap token, too, or it asks again: gaitway-hub tokens revoke.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its own name.") var device: String

        func run() async throws {
            let store = try await store.open(), board = try await store.find(waiting: device, self.store.org)
            _ = try await store.refuse(waiting: board.id, org: self.store.org)
        }
    }
}

extension HubStore {
    fileprivate func find(waiting name: String, _ org: String) async throws(Fault) -> WaitingBoard {
        guard let board = try await waiting(org: org).first(where: { $0.identifier == name || $0.id == name }) else {
            throw Fault(.noInput, "no board called \(name) waits", remedy: "gaitway-hub devices waiting")
        }
        return board
    }
}

import HubProtocol
import ArgumentParser
import HubStore
import Support

struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The boards.",
        subcommands: [List.self, Show.self, Name.self, Waiting.self, Approve.self, Refuse.self, Reopen.self, Revoke.self, Delete.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The boards, by name.")

        @OptionGroup var store: StoreOptions
        @Option(help: "Part of a name or a tag.") var search = ""
        @Option(help: "Those with this tag alone.") var tag: String?
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            let store = try await store.open(), now = StoreOptions.now
            var table = OutputTable(names: [
                "id", "device_identifier", "name", "tags", "last_heartbeat", "model_version", "status", "connectivity", "identity",
            ])
            var query = DeviceQuery(org: self.store.org)
            (query.search, query.tag) = (search, tag)
            for device in try await store.devices(query, limit: 1_000_000) {
                table.rows.append([
                    device.id, device.identifier, device.name ?? "", device.tags.joined(separator: ","),
                    OutputTable.time(device.beat?.seen), device.beat?.modelVersion.map { "\($0)" } ?? "",
                    device.isRevoked ? "revoked" : "active",
                    Connectivity(age: device.beat.map { now - $0.seen }, store.interval).rawValue, device.hasKey ? "key" : "token",
                ])
            }
            table.print(json: json)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "What became of models on a board, and its last heartbeat.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its ID, its own name, or what it is called.") var device: String

        func run() async throws {
            let store = try await store.open(), device = try await store.find(device, self.store.org)
            let called = device.name.map { ", called \($0)" } ?? "",
                tags = device.tags.isEmpty ? "" : "\ntags: \(device.tags.joined(separator: ", "))"
            print("\(device.identifier) is \(device.id)\(called)\(tags)\n\(device.info)\n\(device.beat?.body ?? "no heartbeat yet")")
            var table = OutputTable(names: ["model", "version", "state", "reason"])
            for (model, outcome) in try await store.outcomes(of: device.id) {
                table.rows.append([model, "\(outcome.version)", outcome.state.rawValue, outcome.reason])
            }
            table.print(json: false)
        }
    }

    struct Name: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change what a board is called, and its tags.", discussion: "What the board calls itself stays, too.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its ID, its own name, or what it is called.") var device: String
        @Argument(help: "What it is called from now on; an empty text for its own name. (default: as before)") var name: String?
        @Option(help: ArgumentHelp("Words with commas or spaces between them, in the place of its tags.", valueName: "tags")) var tags:
            String?

        func validate() throws {
            guard name != nil || tags != nil else { throw ValidationError("neither a name nor --tags is given") }
        }

        func run() async throws {
            let store = try await store.open(), found = try await store.find(device, self.store.org)
            _ = try await store.rename(device: found.id, org: self.store.org) { [name, tags] names throws(Fault) in
                names = try BoardNames(
                    name: name ?? names.name, tags: tags.map { $0.split { $0 == "," || $0.isWhitespace }.map(String.init) } ?? names.tags)
            }
        }
    }

    struct Reopen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let another board take this one's name, once.",
            discussion: """
                A name belongs to the board that registered it and to its key. Where the card was replaced or the key is lost, this lets \
                one bootstrap token more make tokens for the name; those that the board had end then.
                """)

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its ID, its own name, or what it is called.") var device: String

        func run() async throws {
            let store = try await store.open()
            _ = try await store.reopen(device: try await store.find(device, self.store.org).id, org: self.store.org)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a board's tokens worthless, or let it register again.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its ID, its own name, or what it is called.") var device: String
        @Flag(help: "Let it register again.") var undo = false

        func run() async throws {
            let store = try await store.open()
            _ = try await store.revoke(device: try await store.find(device, self.store.org).id, org: self.store.org, revoked: !undo)
        }
    }
}

extension Devices {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a board with all that is kept of it.",
            discussion: "Heartbeats, events, what became of models, weights, its place in the crowd, its tokens. Its name is free then.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Its ID, its own name, or what it is called.") var device: String

        func run() async throws {
            let store = try await store.open(), found = try await store.find(device, self.store.org)
            _ = try await store.delete(device: found.id, org: self.store.org)
            print("\(found.identifier) and all that was kept of it are gone")
        }
    }
}

extension HubStore {
    /// A board by its ID, its own name, or what people call it.
    func find(_ key: String, _ org: String) async throws(Fault) -> Device {
        guard let device = try await device(called: key, org: org) else {
            throw Fault(.noInput, "there is no board \(key), or more than one are called so", remedy: "gaitway-hub devices list")
        }
        return device
    }

    func find(model key: String, _ org: String) async throws(Fault) -> HubModel {
        guard let model = try await model(key, org: org) else {
            throw Fault(.noInput, "there is no model \(key)", remedy: "gaitway-hub models list")
        }
        return model
    }
}

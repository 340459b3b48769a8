import ArgumentParser
import HubStore
import Support

struct Groups: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Groups of boards.", subcommands: [List.self, Create.self, Add.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The groups.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            var table = OutputTable(names: ["id", "name", "boards", "description"])
            for group in try await store.open().groups(org: store.org) {
                table.rows.append([group.id, group.name, "\(group.devices)", group.description])
            }
            table.print(json: json)
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a group.")

        @OptionGroup var store: StoreOptions
        @Argument var name: String
        @Option var description = ""

        func run() async throws {
            print(try await store.open().makeGroup(name, description: description, org: store.org, now: StoreOptions.now).id)
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Put boards into a group, or take them out.")

        @OptionGroup var store: StoreOptions
        @Argument var group: String
        @Argument(help: "IDs or own names.") var devices: [String]
        @Flag(help: "Take them out.") var remove = false

        func run() async throws {
            let store = try await store.open()
            guard let group = try await store.group(group, org: self.store.org) else {
                throw Fault(.noInput, "there is no group \(self.group)", remedy: "gaitway-hub groups list")
            }
            for device in devices {
                _ = try await store.join(try await store.find(device, self.store.org).id, group, member: !remove, now: StoreOptions.now)
            }
        }
    }
}

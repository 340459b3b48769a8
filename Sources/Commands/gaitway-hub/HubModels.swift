import ArgumentParser
import HubProtocol
import HubStore
import NeuralNetwork
import Support

struct HubModels: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "Models and their versions.", subcommands: [List.self, Add.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The versions of all models, or of one.")

        @OptionGroup var store: StoreOptions
        @Argument var model: String?
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            let store = try await store.open()
            var table = OutputTable(names: ["model", "version", "bytes", "signed", "status", "created", "expires", "description"])
            for model in try await store.models(org: self.store.org)
            where self.model == nil || self.model == model.id || self.model == model.name {
                for version in try await store.versions(of: model) {
                    table.rows.append([
                        model.name, version.shown, "\(version.size)", version.isSigned ? "yes" : "no", version.status.rawValue,
                        OutputTable.time(version.created), OutputTable.time(version.expires.map(Double.init)), version.description,
                    ])
                }
            }
            table.print(json: json)
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a version of a model.",
            discussion: "The version is what the file says. FILE.sig is its signature, where there is one (gaitway model sign).")

        @OptionGroup var store: StoreOptions
        @Argument(help: "Made when it is new.") var model: String
        @Argument(help: "A model of `gaitway train` or `gaitway model import`, or a release of gaitway itself.") var file: String
        @Option(help: "What boards' owners are told.") var description = ""

        func run() async throws {
            let store = try await store.open(), org = self.store.org, bytes = try Files.read(file, limit: NetworkFile.sizeLimit)
            var new = NewVersion(version: nil, bytes: bytes, signature: try ModelSignature.read(beside: file), description: description)
            if ProgramRelease.isMarked(bytes) {
                new.become(try ProgramRelease(bytes, name: file))
            } else {
                let network = try NetworkFile.read(bytes, name: file)
                (new.version, new.labels, new.expires) = (network.version, network.labels, network.expires)
            }
            _ = try await store.makeModel(model, description: "", org: org, now: StoreOptions.now)
            let made = try await store.add(new, to: try await store.find(model: model, org), now: StoreOptions.now)
            print("\(model) \(made.version)\(made.isSigned ? "" : ", not signed")")
        }
    }
}

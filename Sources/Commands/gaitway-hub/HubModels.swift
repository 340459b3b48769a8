import ArgumentParser
import Cryptography
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
            discussion: """
                The version is what the file says. FILE.sig is its signature, where there is one (gaitway model sign). An image of a \
                system for SWUpdate or RAUC stays where it lies: --url says where boards fetch it, and --version what it is called.
                """)

        @OptionGroup var store: StoreOptions
        @Argument(help: "Made when it is new.") var model: String
        @Argument(help: "A model of `gaitway train` or `gaitway model import`, a release of gaitway itself, or an image (--url).")
        var file: String
        @Option(help: "What boards' owners are told.") var description = ""
        @Option(help: ArgumentHelp("Of an image: where boards fetch it, of any web server or bucket.", valueName: "address"))
        var url: String?
        @Option(help: ArgumentHelp("Of an image: what it is called.", valueName: "version"))
        var version: String?

        func validate() throws {
            guard (url == nil) == (version == nil) else { throw ValidationError("--url and --version belong together, for an image") }
        }

        private func new() throws(Fault) -> NewVersion {
            if let url, let version {
                let name = file.split(separator: "/").last.map { String($0) } ?? file
                let image = try SystemImage(name: name, version: version, url: url, digests: try FileDigests(ofFile: file))
                var new = NewVersion(version: nil, bytes: image.bytes, description: description)
                new.become(image)
                return new
            }
            let bytes = try Files.read(file, limit: NetworkFile.sizeLimit)
            var new = NewVersion(version: nil, bytes: bytes, signature: try ModelSignature.read(beside: file), description: description)
            if ProgramRelease.isMarked(bytes) {
                new.become(try ProgramRelease(bytes, name: file))
            } else {
                let network = try NetworkFile.read(bytes, name: file)
                (new.version, new.labels, new.expires) = (network.version, network.labels, network.expires)
            }
            return new
        }

        func run() async throws {
            let store = try await store.open(), org = self.store.org, new = try new()
            _ = try await store.makeModel(model, description: "", org: org, now: StoreOptions.now)
            let made = try await store.add(new, to: try await store.find(model: model, org), now: StoreOptions.now)
            print("\(model) \(made.shown)\(made.isSigned || url != nil ? "" : ", not signed")")
        }
    }
}

import ArgumentParser
import Glibc
import ModelStore
import NeuralNetwork
import Runtime
import Settings
import Support
import Updates

extension Model {
    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Give this board a new model, which is tried beside the old one before it takes over.",
            discussion: """
                FILE, https://HOST/FILE or s3://BUCKET/KEY; FILE.sig is its signature. Its version must be above every one that this \
                board has had. \
                `gaitway run` changes to it between two windows; one that runs already does so now, where it takes new models or had one \
                before, else the next one.
                """)

        @Argument(help: ArgumentHelp("The model.", valueName: "file"), completion: .file())
        var file: String
        @OptionGroup var place: ConfigurationOptions

        func run() throws {
            let settings = try place.load(), source = try AddressUpdates(file, settings), limit = NetworkFile.sizeLimit
            let (offer, bytes, signature) = try Awaited.value { () async throws(Fault) in
                guard let offer = try await source.offer(above: 0) else { throw Fault(.noInput, "\(file) is not there") }
                return (offer, try await source.model(of: offer, limit: limit), try await source.signature(of: offer))
            }
            guard try StoreFolder.isHeld() else {
                let store = try ModelStore(settings), running = try store.start(base: try BaseModel.load(settings)).running
                let network = try store.accept(bytes, signature, offer, running: running, now: SystemTime.wallSeconds, byHand: true)
                return try Console.print("version \(network.version) is tried with the next `gaitway run`")
            }
            // The one that runs has the store: it takes the file from there.
            let inbox = StoreFolder.inbox(), path = inbox + "/.install-\(getpid()).safetensors"
            try Files.makeDirectory(inbox)
            if let signature { try Files.write(signature, to: ModelSignature.path(of: path)) }
            try Files.write(bytes, to: path)
            defer { for left in [path, ModelSignature.path(of: path)] where Files.exists(left) { try? Files.remove(left) } }
            let answer = try ControlClient.ask([("command", "install"), ("path", .string(path)), ("name", .string(file))])
            try Console.print(
                "version \(answer["models"]?["candidate"]?.text ?? "?") is tried beside version \(answer["model_version"]?.text ?? "?")")
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "The models that came over the air: the one that runs, the one before it, those refused and why."
        )

        @OptionGroup var format: OutputOptions

        func run() throws {
            guard Files.isDirectory(StoreFolder.path) else {
                throw Fault(.noInput, "this board runs the configuration's model; no other ever came")
            }
            let status = try ModelStore(try Settings()).status
            try Console.print(format.json ? JSON(status.json).text : status.text)
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Have the running gaitway fetch and try the model that is offered, where updates.ask makes it wait.")

        func run() throws {
            try ControlClient.ask([("command", "accept")])
            try Console.print("it is fetched, and tried beside the present one: gaitway status shows how that goes")
        }
    }

    struct Rollback: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rollback", abstract: "Go back to the model before this one. The present version is not tried again.")

        func run() throws {
            if try StoreFolder.isHeld() {
                try ControlClient.ask([("command", "rollback")])
            } else {
                try ModelStore(try Settings()).rollBack()
            }
            try Console.print("rolled back")
        }
    }

    struct Pin: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "pin", abstract: "Take no new models, until --off.")

        @Flag(help: "Take them again.") var off = false

        func run() throws {
            if try StoreFolder.isHeld() {
                try ControlClient.ask([("command", "pin"), ("pinned", .bool(!off))])
            } else {
                try ModelStore(try Settings()).pin(!off)
            }
            try Console.print(off ? "new models are taken" : "no new models are taken")
        }
    }
}

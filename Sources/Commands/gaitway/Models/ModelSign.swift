import ArgumentParser
import Cryptography
import FoundationEssentials
import HubProtocol
import ModelStore
import NeuralNetwork
import Support

extension Model {
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign", abstract: "Sign a model, so that boards with your public key run it.",
            discussion: """
                The signature is OpenSSF model-signing's, ECDSA on P-256: `model_signing verify key` proves it too. Without a key there \
                is one to \
                make: openssl ecparam -name prime256v1 -genkey -noout -out private.pem; openssl ec -in private.pem -pubout -out public.pem
                """)

        @Argument(help: ArgumentHelp("A model, or a directory with all that belongs to it.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("Your private key, PEM.", valueName: "file"), completion: .file())
        var key: String
        @Option(
            help: ArgumentHelp("Where the signature goes. (default: the model's name and .sig)", valueName: "file"), completion: .file())
        var output: String?
        @Option(
            help: ArgumentHelp(
                "Write this version into the model first: boards take none that is not above all before.", valueName: "number"))
        var modelVersion: Int?
        @Option(help: ArgumentHelp("Write into the model first after which day (UTC) no board takes it any more.", valueName: "yyyy-mm-dd"))
        var expires: String?
        @Option(help: ArgumentHelp("Boards that ask a hub for a model of another name do not take it.", valueName: "name"))
        var model: String?
        @Option(help: ArgumentHelp("Boards of other organisations do not take it; can be repeated.", valueName: "name"))
        var fleet: [String] = []
        @Option(help: ArgumentHelp("Boards whose setting placement is another do not take it; can be repeated.", valueName: "place"))
        var placement: [String] = []
        @Option(
            help: ArgumentHelp(
                "A newer list of keys (gaitway keys) that boards are to take with it; can be repeated, in order.", valueName: "file"),
            completion: .file())
        var keys: [String] = []
        @Flag(help: "Add a signature to the one that lies there, where a list of keys asks for several.")
        var add = false

        private func stamp() throws(Fault) {
            guard modelVersion != nil || expires != nil else { return }
            var network = try NetworkFile.load(file)
            if let modelVersion {
                guard (0...ModelChecks.highestVersion).contains(modelVersion) else {
                    throw Fault(.usage, "--model-version is \(modelVersion); it takes 0 ... \(ModelChecks.highestVersion)")
                }
                network.version = modelVersion
            }
            if let expires {
                network.expires = Int(try Self.end(ofDay: expires))
            }
            try NetworkFile.save(network, to: file)
        }

        /// Seconds since 1970 of the end of a day (UTC), as --expires takes it.
        static func end(ofDay text: String) throws(Fault) -> Int64 {
            guard let day = try? Date.ISO8601FormatStyle().year().month().day().parse(text), day.timeIntervalSince1970 >= 0 else {
                throw Fault(.usage, "--expires is \"\(text)\"; it takes a day: 2027-12-31")
            }
            return Int64(day.timeIntervalSince1970) + 86_400
        }

        // What boards go by beside the bytes; a directory's signature says no more than its files.
        private func release() throws(Fault) -> ModelRelease? {
            guard !Files.isDirectory(file), let network = try? NetworkFile.load(file) else {
                guard model == nil, fleet.isEmpty, placement.isEmpty, keys.isEmpty else {
                    throw Fault(.usage, "\(file) is no model of gaitway: --model, --fleet, --placement and --keys are for one")
                }
                return nil
            }
            return ModelRelease(
                model: model, version: network.version, length: try Files.read(file, limit: NetworkFile.sizeLimit).count,
                expires: network.expires.map { Int64($0) }, fleets: fleet.isEmpty ? nil : fleet,
                placements: placement.isEmpty ? nil : placement)
        }

        // nil where it is none of gaitway itself.
        private func programRelease() throws(Fault) -> ModelRelease? {
            guard !Files.isDirectory(file), let bytes = try? Files.read(file, limit: ProgramRelease.sizeLimit),
                ProgramRelease.isMarked(bytes)
            else { return nil }
            let program = try ProgramRelease(bytes, name: file)
            guard modelVersion == nil, placement.isEmpty else {
                throw Fault(.usage, "\(file) is a release of gaitway: --model-version and --placement are for models")
            }
            return ModelRelease(
                model: model, version: program.number, length: bytes.count, expires: try expires.map(Self.end),
                fleets: fleet.isEmpty ? nil : fleet)
        }

        func run() throws {
            let path = output ?? ModelSignature.path(of: file), key = try SigningKey(file: key)
            if add {
                guard modelVersion == nil, expires == nil, model == nil, fleet.isEmpty, placement.isEmpty, keys.isEmpty else {
                    throw Fault(.usage, "--add signs what was signed before, and changes nothing of it")
                }
                let before = try Files.read(path, limit: ModelSignature.sizeLimit)
                try Files.write(try ModelSignature.add(key, to: before, of: try SignedContents(file)), to: path)
                return try Console.print(path)
            }
            let lists = try keys.map { path throws(Fault) in try KeyList(file: path) }
            for (list, path) in zip(lists, keys) { try list.prove(path) }
            let program = try programRelease()
            if program == nil { try stamp() }
            let release = try program ?? release()
            try Files.write(try ModelSignature.sign(try SignedContents(file), with: key, release: release, lists: lists), to: path)
            try Console.print(path)
            if let end = release?.expires, end <= SystemTime.wallSeconds { Console.note("gaitway: it has expired: boards refuse it") }
            if let list = lists.last, try !list.isSigner(key.verifying) {
                Console.note("gaitway: the newest list does not name that key: boards that have it refuse the model")
            }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Prove that a model is just what a key's holder signed.",
            discussion: "Signatures of `model_signing sign key` are read too.")

        @Argument(help: ArgumentHelp("A model, or a directory with all that belongs to it.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("The public key, PEM, or a list of keys.", valueName: "file"), completion: .file())
        var key: String
        @Option(help: ArgumentHelp("The signature. (default: the model's name and .sig)", valueName: "file"), completion: .file())
        var signature: String?

        func run() throws {
            let path = signature ?? ModelSignature.path(of: file), contents = try SignedContents(file)
            try ModelSignature.verify(contents, try Files.read(path, limit: ModelSignature.sizeLimit), by: try KeyList.read(key).key)
            try Console.print("\(file): \(contents.files.count == 1 ? "1 file is" : "\(contents.files.count) files are") as signed")
        }
    }
}

import ArgumentParser
import Cryptography
import FoundationEssentials
import NeuralNetwork
import Support

extension Model {
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign a model, so that boards with your public key run it.",
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

        private func stamp() throws(Fault) {
            guard modelVersion != nil || expires != nil else { return }
            var network = try NetworkFile.load(file)
            if let modelVersion {
                guard modelVersion >= 0 else { throw Fault(.usage, "--model-version is \(modelVersion); it takes a whole number from 0") }
                network.version = modelVersion
            }
            if let expires {
                guard let day = try? Date.ISO8601FormatStyle().year().month().day().parse(expires) else {
                    throw Fault(.usage, "--expires is \"\(expires)\"; it takes a day: 2027-12-31")
                }
                network.expires = max(0, Int(day.timeIntervalSince1970)) + 86_400
            }
            try NetworkFile.save(network, to: file)
        }

        func run() throws {
            try stamp()
            let signature = try ModelSignature.sign(try SignedContents(file), with: try SigningKey(file: key)),
                path = output ?? ModelSignature.path(of: file)
            try Files.write(signature, to: path)
            try Console.print(path)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prove that a model is just what a key's holder signed.",
            discussion: "Signatures of `model_signing sign key` are read too.")

        @Argument(help: ArgumentHelp("A model, or a directory with all that belongs to it.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("The public key, PEM.", valueName: "file"), completion: .file())
        var key: String
        @Option(help: ArgumentHelp("The signature. (default: the model's name and .sig)", valueName: "file"), completion: .file())
        var signature: String?

        func run() throws {
            let path = signature ?? ModelSignature.path(of: file), contents = try SignedContents(file)
            try ModelSignature.verify(contents, try Files.read(path, limit: ModelSignature.sizeLimit), by: try VerifyingKey(file: key))
            try Console.print("\(file): \(contents.files.count == 1 ? "1 file is" : "\(contents.files.count) files are") as signed")
        }
    }
}

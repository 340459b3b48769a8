import ArgumentParser
import Cryptography
import FoundationEssentials
import ModelStore
import NeuralNetwork
import Settings
import Support
import Updates

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Lists of the keys that boards trust: several owners, replaced and revoked keys.",
        discussion: """
            The setting trusted_key takes such a list in the place of bare keys. Its owners' keys sign the next list, and the models' keys \
            sign models; each needs as many signatures as the list says. A board takes the next list with a model that was signed with \
            `gaitway model sign --keys`, or as its file of trusted_key.
            """,
        subcommands: [Create.self, Sign.self, Show.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a list, which its owners sign then.")

        @Option(help: ArgumentHelp("An owner's public key, PEM; can be repeated.", valueName: "file"), completion: .file())
        var owner: [String] = []
        @Option(help: ArgumentHelp("How many owners must sign the next list. (default: 1, or as before)", valueName: "number"))
        var owners: Int?
        @Option(help: ArgumentHelp("The public key of who signs models, PEM; can be repeated.", valueName: "file"), completion: .file())
        var modelKey: [String] = []
        @Option(help: ArgumentHelp("How many of them must sign a model. (default: 1, or as before)", valueName: "number"))
        var signers: Int?
        @Option(help: ArgumentHelp("The list before it: what is not given is as there.", valueName: "file"), completion: .file())
        var after: String?
        @Option(
            help: ArgumentHelp(
                "After which day (UTC) boards take no new model by it; or never. (default: never, or as before)", valueName: "yyyy-mm-dd"))
        var expires: String?
        @Option(
            help: ArgumentHelp(
                "The highest version that was ever right: boards that were told of higher ones forget them.", valueName: "number"))
        var forgetAbove: Int?
        @Option(help: ArgumentHelp("Where the list goes.", valueName: "file"), completion: .file())
        var output: String

        private func role(
            _ files: [String], _ threshold: Int?, _ before: KeyList.Role?, _ option: String
        ) throws(Fault) -> KeyList.Role {
            let keys = try files.map { path throws(Fault) in try VerifyingKey(file: path).pem }
            guard let found = keys.isEmpty ? before?.keys : keys else { throw Fault(.usage, "a first list needs --\(option)") }
            return KeyList.Role(found, threshold: threshold ?? before?.threshold ?? 1)
        }

        func run() throws {
            let before = try after.map { path throws(Fault) in try KeyList(file: path) }
            if let forgetAbove, forgetAbove < 0 { throw Fault(.usage, "--forget-above is \(forgetAbove); it takes a whole number from 0") }
            let end = if let expires { try expires == "never" ? nil : Model.Sign.end(ofDay: expires) } else { before?.expires }
            guard end.map({ $0 > SystemTime.wallSeconds }) ?? true else {
                throw Fault(.usage, "the list would have expired already", remedy: "--expires takes a day that is to come, or never.")
            }
            let list = try KeyList(
                version: (before?.version ?? 0) + 1, expires: end,
                highest: forgetAbove, owners: try role(owner, owners, before?.owners, "owner"),
                models: try role(modelKey, signers, before?.models, "model-key"))
            try Files.write(try list.bytes, to: output)
            try Console.print("\(output): version \(list.version); its owners sign it: gaitway keys sign \(output) --key KEY")
        }
    }

    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "sign", abstract: "Add an owner's signature to a list.")

        @Argument(help: ArgumentHelp("The list.", valueName: "file"), completion: .file()) var file: String
        @Option(help: ArgumentHelp("The owner's private key, PEM.", valueName: "file"), completion: .file()) var key: String

        func run() throws {
            var list = try KeyList(file: file)
            let key = try SigningKey(file: self.key), isOwner = try list.isOwner(key.verifying)
            try list.sign(with: key)
            try Files.write(try list.bytes, to: file)
            let count = try list.signatures(), many = "\(count) of the \(list.owners.threshold) owners who must"
            try Console.print("\(file): signed by \(count >= list.owners.threshold ? "enough" : many)")
            if !isOwner { Console.note("gaitway: that key is none of its owners': it counts only where it is one of the list's before") }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "What a list says; without one, the list that this board goes by.")

        @Argument(help: ArgumentHelp("The list. (default: this board's)", valueName: "file"), completion: .file()) var file: String?
        @Option(
            help: ArgumentHelp("The list that boards have: do they take this one after it?", valueName: "file"), completion: .file())
        var after: String?
        @OptionGroup var place: ConfigurationOptions
        @OptionGroup var format: OutputOptions

        func run() throws {
            let list: KeyList
            if let file {
                list = try KeyList(file: file)
            } else {
                guard let found = try place.load().trustedKeys()?.list else {
                    throw Fault(.noInput, "this board has no list of keys", remedy: "The setting trusted_key names one.")
                }
                list = found
            }
            let isSigned = (try? list.prove("")) != nil
            if let after {
                let before = try KeyList(file: after)
                guard before.allows(list) else {
                    throw Fault(
                        .permission, "boards with \(after) do not take this list: it is version \(list.version) after \(before.version)",
                        remedy: "It is to be the next version, signed by \(before.owners.threshold) of the owners before and "
                            + "\(list.owners.threshold) of its own.")
                }
            }
            guard !format.json else {
                return try Console.print(JSON(list.json(isSigned: isSigned)).text)
            }
            var lines = ["version \(list.version)\(isSigned ? "" : ", not signed by enough of its owners")"]
            if let expires = list.expires { lines.append("until \(Self.day(expires))") }
            if let highest = list.highest { lines.append("versions of models above \(highest) are forgotten") }
            for (name, role) in [("owners", list.owners), ("models", list.models)] {
                lines.append("\(name): \(role.threshold) of \(role.keys.count)")
                lines += role.keys.map { "  \(KeyList.fingerprint($0))" }
            }
            try Console.print(lines.joined(separator: "\n"))
        }

        static func day(_ seconds: Int64) -> String {
            Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        }
    }
}

extension KeyList {
    /// SHA-256 of a key's PEM as openssl writes it, the first sixteen digits.
    fileprivate static func fingerprint(_ pem: String) -> String {
        String(Digest.text(Array(((try? VerifyingKey(pem: pem, path: ""))?.pem ?? pem).utf8)).prefix(16))
    }

    fileprivate func json(isSigned: Bool) -> JSONValue {
        func role(_ role: Role) -> JSONValue {
            .members([("threshold", .integer(role.threshold)), ("keys", .array(role.keys.map { .string(Self.fingerprint($0)) }))])
        }
        return .members([
            ("version", .integer(version)), ("signed", .bool(isSigned)), ("expires", expires.map { .number(Double($0)) } ?? .null),
            ("highest", JSONValue(highest)), ("owners", role(owners)), ("models", role(models)),
        ])
    }
}

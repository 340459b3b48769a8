import Agent
import ArgumentParser
import Cryptography
import Models
import Support

/// Which model a verb uses.
struct ModelOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The network to run.", discussion: "Without it: the configuration's, else the model that came with gaitway.", valueName: "file"))
    var model: String?

    func path(_ configuration: Configuration) throws(Fault) -> String {
        if let model { return model }
        return try Self.path(configuration)
    }

    /// Without one on the command line.
    static func path(_ configuration: Configuration) throws(Fault) -> String {
        if let model = configuration[.model]?.text { return model }
        guard let found = places.first(where: Files.exists) else {
            throw Fault(.noInput, "no model was given and none is installed", remedy: "Name one with --model FILE, or make one: gaitway train --recordings DIR --output FILE")
        }
        return found
    }

    /// Errors: `.noInput`, `.permission`, `.badData`.
    func load(_ configuration: Configuration) throws(Fault) -> Network { try NetworkFile.load(try path(configuration), trusting: try configuration.trustedKey()) }

    /// The configuration's, or the one that came with gaitway. Errors: those of ``load(_:)``.
    static func base(_ configuration: Configuration) throws(Fault) -> Network { try NetworkFile.load(try path(configuration), trusting: try configuration.trustedKey()) }

    /// For verbs without a configuration of their own. Errors: `.configuration` too.
    func load() throws(Fault) -> Network { try load(try Configuration()) }

    // Beside a checkout's build folder, or where a package puts it.
    private static var places: [String] {
        var directory = Files.target(ofLink: "/proc/self/exe"), places: [String] = []
        while let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
            directory = String(directory[..<slash])
            places.append(directory + "/board/models/activity.safetensors")
        }
        return places + ["/usr/local/share/gaitway/activity.safetensors", "/usr/share/gaitway/activity.safetensors"]
    }
}

extension ModelChecks {
    /// Errors: those of reading the key.
    init(_ configuration: Configuration) throws(Fault) {
        self.init(key: try configuration.trustedKey(), memoryLimit: (configuration[.updatesMemory].flatMap { Int($0.text) } ?? 4096) * 1024)
    }
}

extension Configuration {
    /// Whose models alone are run; nil for anybody's.
    ///
    /// Errors: those of reading the key.
    func trustedKey() throws(Fault) -> VerifyingKey? {
        try self[.trustedKey].map { value throws(Fault) in try VerifyingKey(file: value.text) }
    }
}

package import Cryptography
internal import Fleet
internal import Gaitway
package import ModelStore
package import NeuralNetwork
package import Settings
package import Support

/// The model that runs where none came over the air: that of the settings, else the one that came with gaitway.
package enum BaseModel {
    /// - Throws: `.noInput`, `.permission`, `.badData`.
    package static func load(_ settings: Settings) throws(Fault) -> Network {
        let key = try settings.verifyingKey()
        if let path = settings.model ?? places.first(where: Files.exists) { return try NetworkFile.load(path, trusting: key) }
        guard key == nil else {
            throw Fault(
                .permission, "no model was given, and the one inside gaitway has no signature of trusted_key",
                remedy: "Sign a copy of board/models/activity.safetensors, and name it with --model FILE or the setting model.")
        }
        // A program that was copied here alone has it, too.
        return try ActivityModel.shipped.load()
    }

    /// The same; where that cannot be used, the newest model that came over the air and still proves itself.
    ///
    /// - Parameter complain: is told why, where it is another one.
    /// - Throws: those of ``load(_:)`` where there is none.
    package static func loadOrKept(_ settings: Settings, complain: (String) -> Void) throws(Fault) -> Network {
        do throws(Fault) { return try load(settings) } catch {
            let directory = StoreFolder.path
            guard Files.isDirectory(directory),
                let kept = try ModelStore(directory, checks: ModelChecks(settings), base: 0).newest
            else { throw error }
            complain("version \(kept.version), which came over the air, runs instead of the configured model: \(error.message)")
            return kept
        }
    }

    // Beside a checkout's build folder, or where a package puts it.
    private static var places: [String] {
        var directory = Programs.own, places: [String] = []
        while let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
            directory = String(directory[..<slash])
            places.append(directory + "/board/models/activity.safetensors")
        }
        return places + ["/usr/local/share/gaitway/activity.safetensors", "/usr/share/gaitway/activity.safetensors"]
    }
}

extension Settings {
    /// Whose models alone are run; nil for anybody's.
    ///
    /// - Throws: those of reading the key.
    package func verifyingKey() throws(Fault) -> VerifyingKey? {
        try trustedKeys()?.anyKey
    }

    /// The same, with the lists of keys that came since; nil for anybody's.
    ///
    /// - Throws: those of reading them.
    package func trustedKeys() throws(Fault) -> TrustedKeys? {
        try values.trustedKey.map { path throws(Fault) in try TrustedKeys(file: path, kept: StoreFolder.keys()) }
    }
}

extension ModelChecks {
    /// - Throws: those of reading the key.
    package init(_ settings: Settings) throws(Fault) {
        // Of a board that is registered nowhere no fleet is known.
        let fleet = (try? Registration.read())?.orgId
        self.init(
            keys: try settings.trustedKeys(), memoryLimit: settings.updates.maxKilobytes * 1024, fleet: fleet,
            placement: settings.placement)
    }
}

extension ModelStore {
    /// The board's store, for commands beside the running program.
    ///
    /// - Throws: those of the key, of the settings' model and of the disk.
    package convenience init(_ settings: Settings) throws(Fault) {
        try self.init(StoreFolder.path, checks: ModelChecks(settings), base: try BaseModel.load(settings).version)
    }
}

internal import FoundationEssentials
internal import Support

/// SwiftyForesight's two error logs: property lists of the files that did not go, and the keys that they were to have.
///
/// An entry goes only after its file went: a crash between leaves it, and the next retry finds the file in the bucket.
struct FailedUploads {
    struct Entry: Equatable {
        /// The file's name in the directory.
        var file: String
        var key: String
    }

    let directory: String
    private var local: String { "\(directory)/libraerrorlogs_local.plist" }
    private var remote: String { "\(directory)/libraerrorlogs_remote.plist" }

    /// Whether there are logs at all.
    var exist: Bool { Files.exists(local) && Files.exists(remote) }

    /// The entries, the oldest first; none without logs. Of logs that do not fit together every name in either is one: key and file
    /// have the same name.
    func entries() throws(Fault) -> [Entry] {
        guard exist else { return [] }
        let files = try names(local), keys = try names(remote)
        if let files, let keys, files.count == keys.count { return zip(files, keys).map { Entry(file: $0, key: $1) } }
        StandardError.write(
            "Error in LibraData.retryFailedUploads(): Libra Error Logs corrupted. Every file that they name counts as failed.")
        var names: [String] = []
        for name in (files ?? []) + (keys ?? []) where !names.contains(name) { names.append(name) }
        return names.map { Entry(file: $0, key: $0) }
    }

    func write(_ entries: [Entry]) throws(Fault) {
        try write(entries.map(\.key), to: remote)
        try write(entries.map(\.file), to: local)
    }

    private func names(_ path: String) throws(Fault) -> [String]? {
        try? PropertyListDecoder().decode([String].self, from: Data(try Files.read(path, limit: 16 << 20)))
    }

    private func write(_ names: [String], to path: String) throws(Fault) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        do {
            try Files.write(Array(try encoder.encode(names)), to: path)
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(.failure, "cannot write \(path): \(error)")
        }
    }
}

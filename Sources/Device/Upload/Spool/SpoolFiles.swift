internal import FoundationEssentials
internal import Support

/// What belongs to one file of the spool, as JSON beside it.
struct FileAttributes: Codable, Equatable {
    /// m0 ... m9 of its row of metadata, by the names in ``RowKey``.
    var metadata: [String: String]
    /// SHA-256 of the whole file in hexadecimal, as its bytes were written; nil until it is whole.
    var digest: String?

    var bytes: [UInt8] { encoded(self) }

    init(metadata: [String: String]) { self.metadata = metadata }

    /// nil when there is none, or none that can be read: a file is sent without.
    init?(file path: String) {
        guard let bytes = try? Files.read(path, limit: 1 << 20), let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = found
    }
}

/// What was dropped and lost so far, and how fast the spool fills.
package struct SpoolCounts: Codable, Sendable, Equatable {
    /// Files that a limit pushed out, and their bytes.
    package var droppedFiles = 0
    package var droppedBytes: Int64 = 0
    /// Windows that no file took: a full disk, or one too slow.
    package var lostWindows = 0
    /// Of windows that were recorded, in this moment's content.
    package var bytesPerHour: Int64 = 0

    package init() {}

    var bytes: [UInt8] { encoded(self) }

    static func read(_ path: String) -> SpoolCounts {
        guard let bytes = try? Files.read(path, limit: 1 << 16), let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return SpoolCounts()
        }
        return found
    }
}

private func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(value)).map(Array.init) ?? []
}

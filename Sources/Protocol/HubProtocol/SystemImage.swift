package import Cryptography
internal import FoundationEssentials
package import Support

/// An image of a board's system as a hub rolls it out to SWUpdate and RAUC: its name, its digests and where it lies. The bytes are not at
/// the hub, and the board's own installer proves them by its own key.
package struct SystemImage: Codable, Sendable, Equatable {
    private var format = Self.mark
    /// Of the file: letters, digits, ".", "+", "_" and "-".
    package var name: String
    /// What its author calls it.
    package var version: String
    /// http or https, encoded as a browser needs it.
    package var url: String
    /// Bytes.
    package var size: Int64
    /// Hexadecimal digits: 64, 40 and 32.
    package var sha256: String, sha1: String, md5: String

    /// Bytes of the file that describes an image, and of the image.
    package static let sizeLimit = 1 << 14, imageLimit: Int64 = 1 << 40

    private static let mark = "gaitway.image.1", longestAddress = 1000, longestName = 64

    /// - Throws: `.usage` for a name, a version or an address that cannot be used.
    package init(name: String, version: String, url: String, digests: FileDigests) throws(Fault) {
        (self.name, self.version, self.url, size) = (name, version, url, digests.size)
        (sha256, sha1, md5) = (digests.sha256, digests.sha1, digests.md5)
        if let wrong { throw Fault(.usage, wrong) }
    }

    /// - Throws: `.badData` for what is none.
    package init(_ bytes: [UInt8], name: String) throws(Fault) {
        guard bytes.count <= Self.sizeLimit, let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)), found.format == Self.mark
        else { throw Fault(.badData, "\(name) describes no image: it is not of the format \(Self.mark)") }
        if let wrong = found.wrong { throw Fault(.badData, "\(name) describes no image: \(wrong)") }
        self = found
    }

    /// Whether a file may be one: whoever takes it reads it.
    package static func isMarked(_ bytes: [UInt8]) -> Bool {
        bytes.count <= sizeLimit && JSONValue(parsing: bytes)?["format"]?.text == mark
    }

    /// The file: the same bytes for the same image.
    package var bytes: [UInt8] {
        let members: [(String, JSON)] = [
            ("format", .string(format)), ("name", .string(name)), ("version", .string(version)), ("url", .string(url)),
            ("size", .integer(size)), ("sha256", .string(sha256)), ("sha1", .string(sha1)), ("md5", .string(md5)),
        ]
        return Array(JSON.object(members).text.utf8)
    }

    private var wrong: String? {
        guard Self.isName(name) else { return "its name is not 1 to \(Self.longestName) letters, digits, \".\", \"+\", \"_\" and \"-\"" }
        guard Self.isName(version) else {
            return "its version is not 1 to \(Self.longestName) letters, digits, \".\", \"+\", \"_\" and \"-\""
        }
        let isAddress = (url.hasPrefix("https://") || url.hasPrefix("http://")) && url.utf8.allSatisfy { (33..<127).contains($0) }
        guard isAddress, url.utf8.count <= Self.longestAddress else { return "its url is no address of http or https" }
        guard (1...Self.imageLimit).contains(size) else { return "its size is \(size) bytes" }
        let digests = [(sha256, 32), (sha1, 20), (md5, 16)]
        guard digests.allSatisfy({ Hexadecimal.bytes($0)?.count == $1 && $0 == $0.lowercased() }) else {
            return "its digests are not lower-case hexadecimal digits"
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && ![".", "..", "latest"].contains(text)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || ".+_-".utf8.contains(byte)
            }
    }
}

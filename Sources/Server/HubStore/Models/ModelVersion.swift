internal import HubDatabase
package import HubProtocol

/// One version of a model, without its bytes.
package struct ModelVersion: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        /// Only people see it; only people's roll-outs bring it anywhere.
        case draft
        case published
        /// No board begins with it any more.
        case deprecated
    }

    package var model: String
    /// Of the file, where it is one of Gaitway's; else counted by the hub. Boards go by it.
    package var version: Int
    /// What its author calls it, such as 1.4.0; nil where that is the number.
    package var name: String?
    package var status: Status
    /// "safetensors" for Gaitway's own, which boards take; others are given out as they came.
    package var format: String
    /// What was measured of it: JSON.
    package var metrics: String
    /// SHA-256 of the file, 64 hexadecimal digits.
    package var checksum: String
    package var size: Int
    package var labels: [String]
    /// Seconds since 1970.
    package var expires: Int?
    package var description: String
    package var created: Double
    package var isSigned: Bool

    /// Its name where it has one, else its number.
    package var shown: String { name ?? "\(version)" }
    package var isGaitways: Bool { format == Self.gaitways }
    package static let gaitways = UploadedFile.gaitways, program = UploadedFile.program,
        image = UploadedFile.image

    init(_ row: Row) {
        (model, version, checksum, size) = (row["model_id"], row["version"], row["checksum"], row["size"])
        (name, format, metrics) = (row["name"], row["format"], row["metrics"])
        status = Status(rawValue: row["status"]) ?? .draft
        (expires, description, created, isSigned) = (row["expires"], row["description"], row["created"], row["signed"])
        labels = (row["labels"] as String).split(separator: "\n").map(String.init)
    }

    static let columns = """
        model_id, version, name, status, format, metrics, checksum, size, labels, expires, description, created,
            signature IS NOT NULL AS signed FROM versions
        """
}

/// What a new version consists of.
package struct NewVersion: Sendable {
    /// nil for the next number.
    package var version: Int?
    package var name: String?
    package var status = ModelVersion.Status.published
    package var format = ModelVersion.gaitways
    package var metrics = "{}"
    package var labels: [String]
    package var expires: Int?
    package var bytes: [UInt8]
    package var signature: [UInt8]?
    package var description: String

    package init(
        version: Int?, name: String? = nil, labels: [String] = [], expires: Int? = nil, bytes: [UInt8], signature: [UInt8]? = nil,
        description: String
    ) {
        (self.version, self.name, self.labels, self.expires) = (version, name, labels, expires)
        (self.bytes, self.signature, self.description) = (bytes, signature, description)
    }

    /// A release of gaitway itself: its number is the version, and people are shown what it calls itself.
    package mutating func become(_ release: ProgramRelease) {
        (version, format) = (release.number, ModelVersion.program)
        if description.isEmpty { description = "gaitway \(release.version)" }
    }

    /// An image of a system, which people are shown by its author's name for it.
    package mutating func become(_ image: SystemImage) {
        let number = Int(image.version).flatMap { "\($0)" == image.version && HubStore.versionRange.contains($0) ? $0 : nil }
        (version, name, format) = (number, number == nil ? image.version : nil, ModelVersion.image)
        if description.isEmpty { description = image.name }
    }
}

internal import NeuralNetwork
internal import Support

/// What a hawkBit server has a board do: take the one model that a distribution set has.
struct HawkBitAction: Sendable, Equatable {
    struct Artifact: Sendable, Equatable {
        var name: String, address: String
        var size: Int?
        /// SHA-256, 64 hexadecimal digits.
        var checksum: String?
    }

    let id: String
    /// Whether the server allows it now: it may wait for a time of maintenance.
    let mayDownload: Bool
    /// nil where there is no model, or several.
    let model: Artifact?
    let signature: Artifact?

    // Numbers from elsewhere.
    private static let most = 100

    /// - Throws: `.badData` for what is not hawkBit's.
    init(_ document: JSONValue) throws(Fault) {
        guard let id = document["id"]?.text, Self.isID(id), let deployment = document["deployment"] else {
            throw Fault(.badData, "the server offers something that is not hawkBit's")
        }
        self.id = id
        mayDownload = deployment["download"]?.text != "skip" && deployment["update"]?.text != "skip"
        let artifacts = Self.list(deployment["chunks"]).flatMap { Self.list($0["artifacts"]) }.prefix(Self.most).compactMap(Self.artifact)
        let models = artifacts.filter { $0.name.hasSuffix(".safetensors") }
        model = models.count == 1 ? models[0] : nil
        signature = model.flatMap { model in artifacts.first { $0.name == ModelSignature.path(of: model.name) } }
    }

    /// What may be a part of an address.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIIAlphanumeric }
    }

    private static func artifact(_ value: JSONValue) -> Artifact? {
        let links = value["_links"]
        // A name stands in messages.
        guard let name = value["filename"]?.text, name.utf8.count <= 255,
            name.utf8.allSatisfy({ (33..<127).contains($0) && $0 != UInt8(ascii: "/") }),
            let address = (links?["download"] ?? links?["download-http"])?["href"]?.text
        else { return nil }
        let size = value["size"]?.number.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
        let checksum = value["hashes"]?["sha256"]?.text?.lowercased()
        return Artifact(name: name, address: address, size: size, checksum: checksum.flatMap { isDigest($0) ? $0 : nil })
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { $0.isASCIIAlphanumeric && $0 <= UInt8(ascii: "f") }
    }

    private static func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let found)? = value { return Array(found.prefix(most)) }
        return []
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}

internal import NeuralNetwork
package import Support

/// Which blows are falls: trees of three questions each on numbers around the blow, whose answers add up. See `gw_fall_model`.
///
/// A safetensors file of format 1: `falls.feature` I8 and `falls.threshold` I16 [trees, 7], `falls.leaf` I8 [trees, 8], in the metadata
/// `gaitway.format` "falls-1", `gaitway.limit`, `gaitway.trained_on` (people, separated by commas), `gaitway.crc32` of limit and tables
/// (files of before have none).
package struct FallModel: Sendable, Equatable {
    /// Of each tree seven nodes, level by level: the number that is looked at, and beyond which value the way goes to the right.
    package var features: [Int8], thresholds: [Int16]
    /// Of each tree eight answers.
    package var leaves: [Int8]
    /// A sum of answers from here on is a fall.
    package var limit: Int32
    package var trainedOn: [String]

    /// Added to the limit at the wrist.
    static let wristExtra: Int32 = 200

    package static let nodes = 7, ends = 8, mostTrees = 128, numbers = 22

    package init(features: [Int8], thresholds: [Int16], leaves: [Int8], limit: Int32, trainedOn: [String]) {
        (self.features, self.thresholds, self.leaves, self.limit, self.trainedOn) = (features, thresholds, leaves, limit, trainedOn)
    }

    package var trees: Int { leaves.count / Self.ends }
    /// Of the tables.
    package var bytes: Int { features.count + 2 * thresholds.count + leaves.count + 8 }

    /// The one that came with Gaitway.
    package static let shipped: Result<FallModel, Fault> = Result { () throws(Fault) in
        try FallModel(PackageResources.falls_safetensors, path: "the shipped model of falls")
    }

    /// - Throws: `.badData` for what is no such file, or asks for numbers that there are not.
    package init(_ bytes: [UInt8], path: String) throws(Fault) {
        func bad(_ what: String) -> Fault { Fault(.badData, "\(path) is no model of falls: \(what)", remedy: "gaitway train --falls DIR") }
        let file = try Safetensors(bytes, path: path)
        guard file.metadata["gaitway.format"] == "falls-1" else { throw bad("its format is another") }
        guard let limit = file.metadata["gaitway.limit"].flatMap({ Int32($0) }), abs(Int(limit)) < 1 << 24 else {
            throw bad("it has no limit")
        }
        guard let feature = file.tensors["falls.feature"], let threshold = file.tensors["falls.threshold"],
            let leaf = file.tensors["falls.leaf"], feature.kind == .int8, threshold.kind == .int16, leaf.kind == .int8,
            let trees = feature.shape.first, (1...Self.mostTrees).contains(trees), feature.shape == [trees, Self.nodes],
            threshold.shape == [trees, Self.nodes], leaf.shape == [trees, Self.ends]
        else { throw bad("its trees are not whole") }
        guard feature.int8.allSatisfy({ (0..<Int8(Self.numbers)).contains($0) }) else {
            throw bad("it asks for numbers that there are not")
        }
        let people = (file.metadata["gaitway.trained_on"] ?? "").split(separator: ",").map(String.init)
        self.init(features: feature.int8, thresholds: threshold.int16, leaves: leaf.int8, limit: limit, trainedOn: people)
        if let sum = file.metadata["gaitway.crc32"], sum != checksum { throw bad("its checksum is another: it was damaged") }
    }

    /// - Throws: `.noInput`, `.permission`; as ``init(_:path:)``.
    package static func load(_ path: String) throws(Fault) -> FallModel { try FallModel(try Files.read(path, limit: 1 << 20), path: path) }

    /// One's own, or the one that came with Gaitway.
    ///
    /// - Throws: as ``load(_:)``.
    package static func chosen(_ path: String?) throws(Fault) -> FallModel {
        if let path { return try load(path) }
        return try shipped.get()
    }

    private var checksum: String {
        var bytes = Array("\(limit)".utf8)
        for table in [features, leaves] { bytes += table.map { UInt8(bitPattern: $0) } }
        for threshold in thresholds { bytes += [UInt8(truncatingIfNeeded: threshold), UInt8(truncatingIfNeeded: threshold >> 8)] }
        return Checksum.text(Checksum.crc32(bytes))
    }

    /// As a file.
    package var encoded: [UInt8] {
        var file = Safetensors()
        file.metadata = [
            "gaitway.format": "falls-1", "gaitway.limit": "\(limit)", "gaitway.trained_on": trainedOn.joined(separator: ","),
            "gaitway.crc32": checksum,
        ]
        file.tensors["falls.feature"] = .init(features, shape: [trees, Self.nodes])
        file.tensors["falls.threshold"] = .init(thresholds, shape: [trees, Self.nodes])
        file.tensors["falls.leaf"] = .init(leaves, shape: [trees, Self.ends])
        return file.encoded()
    }
}

/// How readily a blow counts as a fall.
package enum FallSensitivity: String, Sendable, CaseIterable {
    case low, normal, high

    /// Added to the model's limit, in units of its answers (1/64 of a log-odd).
    var extra: Int32 {
        switch self {
        case .low: 64
        case .normal: 0
        case .high: -64
        }
    }
}

/// What the samples tell of a fall.
package struct FallEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case impact
        /// Still down after the time to confirm.
        case fallen
        case recovered
    }

    package var kind: Kind
    /// Samples at 50 Hz from the start to the blow, and to when it was told.
    package var impact: Int64, at: Int64

    package init(kind: Kind, impact: Int64, at: Int64) { (self.kind, self.impact, self.at) = (kind, impact, at) }
}

/// A blow that may be a fall, with the numbers that a model goes by.
package struct FallCandidate: Sendable, Equatable {
    /// Samples at 50 Hz from the start to the blow.
    package var impact: Int64
    package var numbers: [Int16]
    /// Length of the strongest sample, 1/4096 g.
    package var peak: Int32
}

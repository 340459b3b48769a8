public import Support

/// Samples as bytes, to be kept: the dimension, then each sample's label and features, all as little-endian doubles.
extension CrowdData {
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        Words.append(Double(dimension).bitPattern, to: &bytes)
        for row in 0..<count {
            Words.append(Double(labels[row]).bitPattern, to: &bytes)
            for feature in features(of: row) { Words.append(feature.bitPattern, to: &bytes) }
        }
        return bytes
    }

    /// Errors: `.badData` when they are none.
    public init(bytes: [UInt8]) throws(Fault) {
        let count = bytes.count / 8, numbers = (0..<count).map { Double(bitPattern: Words.at($0, of: bytes)) }
        guard bytes.count % 8 == 0, let first = numbers.first, let dimension = Int(exactly: first), (1...1_000_000).contains(dimension), (count - 1) % (dimension + 1) == 0, numbers.allSatisfy(\.isFinite) else {
            throw Fault(.badData, "the samples that were kept are none")
        }
        var features: [Double] = [], labels: [Int] = []
        for start in stride(from: 1, to: count, by: dimension + 1) {
            guard let label = Int(exactly: numbers[start]), label >= 0 else { throw Fault(.badData, "the samples that were kept have no labels") }
            labels.append(label)
            features += numbers[start + 1..<start + 1 + dimension]
        }
        try self.init(features: features, dimension: dimension, labels: labels)
    }
}

/// 64-bit words, little-endian.
enum Words {
    static func append(_ word: UInt64, to bytes: inout [UInt8]) { for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) } }

    static func at(_ index: Int, of bytes: [UInt8]) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[8 * index + $1]) << (8 * UInt64($1)) } }
}

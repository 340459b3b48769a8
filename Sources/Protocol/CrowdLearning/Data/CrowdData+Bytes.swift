package import Support

/// Samples as bytes, to be kept: the dimension, then each sample's label and features, all as little-endian doubles.
extension CrowdData {
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        Words.append([Double(dimension)], to: &bytes)
        for row in 0..<count { Words.append([Double(labels[row])] + features(of: row), to: &bytes) }
        return bytes
    }

    /// - Throws: `.badData` when they are none.
    package init(bytes: [UInt8]) throws(Fault) {
        let count = bytes.count / 8, numbers = (0..<count).map { Double(bitPattern: Words.at($0, of: bytes)) }
        guard bytes.count % 8 == 0, let first = numbers.first, let dimension = Int(exactly: first), (1...1_000_000).contains(dimension),
            (count - 1) % (dimension + 1) == 0, numbers.allSatisfy(\.isFinite)
        else {
            throw Fault(.badData, "the samples that were kept are none")
        }
        var features: [Double] = [], labels: [Int] = []
        for start in stride(from: 1, to: count, by: dimension + 1) {
            guard let label = Int(exactly: numbers[start]), label >= 0 else {
                throw Fault(.badData, "the samples that were kept have no labels")
            }
            labels.append(label)
            features += numbers[start + 1..<start + 1 + dimension]
        }
        try self.init(features: features, dimension: dimension, labels: labels)
    }
}

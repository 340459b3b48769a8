package import Support

/// Labelled samples of one device: rows of D numbers, classes from 0.
package struct CrowdData: Sendable {
    /// D.
    package let dimension: Int
    package private(set) var features: [Double]
    package let labels: [Int]
    /// Whether every row's absolute values add up to one at most: what the noise's promise rests on.
    package private(set) var isNormalised: Bool

    package var count: Int { labels.count }

    /// - Throws: `.badData` when rows and labels do not go together.
    package init(features: [Double], dimension: Int, labels: [Int]) throws(Fault) {
        guard dimension > 0, features.count == labels.count * dimension else {
            throw Fault(.badData, "\(features.count) numbers are not \(labels.count) samples of \(dimension)")
        }
        (self.features, self.dimension, self.labels) = (features, dimension, labels)
        isNormalised = Self.areNormalised(features, dimension)
    }

    package func features(of row: Int) -> ArraySlice<Double> { features[row * dimension..<(row + 1) * dimension] }

    /// Each row divided by the sum of its absolute values; a row of zeros stays.
    package func normalised() -> CrowdData {
        var made = self
        for row in 0..<count {
            let range = row * dimension..<(row + 1) * dimension, sum = features[range].reduce(0) { $0 + $1.magnitude }
            if sum > 0 { for index in range { made.features[index] /= sum } }
        }
        made.isNormalised = true
        return made
    }

    /// The samples of these numbers, in their order.
    package func rows(_ wanted: some Sequence<Int>) -> CrowdData {
        var made = CrowdData(dimension: dimension, isNormalised: isNormalised, labels: wanted.map { labels[$0] })
        for row in wanted { made.features += features(of: row) }
        return made
    }

    private init(dimension: Int, isNormalised: Bool, labels: [Int]) {
        (self.dimension, self.isNormalised, self.labels, features) = (dimension, isNormalised, labels, [])
    }

    private static func areNormalised(_ features: [Double], _ dimension: Int) -> Bool {
        stride(from: 0, to: features.count, by: dimension).allSatisfy { start in
            features[start..<start + dimension].reduce(0) { $0 + $1.magnitude } <= 1 + 1e-9
        }
    }

    /// Whether a model of this shape can learn from it.
    ///
    /// - Throws: `.badData` naming what differs.
    package func require(_ model: CrowdModel) throws(Fault) {
        guard dimension == model.features else {
            throw Fault(.badData, "samples of \(dimension) features do not fit a model of \(model.features)")
        }
        guard let most = labels.max(), most < model.classes else {
            throw Fault(
                .badData, labels.isEmpty ? "there are no samples" : "label \(labels.max() ?? 0) is not among \(model.classes) classes")
        }
    }
}

extension CrowdData {
    /// The same samples with the numbers that others give their labels, and without those that they do not know. "walking" is "WALKING",
    /// and
    /// "Walking upstairs" "WALKING_UPSTAIRS".
    ///
    /// - Parameter wanted: empty where nobody told names: labels stay as they are.
    /// - Throws: `.badData` when nothing is left.
    package func relabelled(from labels: [String], to wanted: [String]) throws(Fault) -> CrowdData {
        guard !wanted.isEmpty else { return self }
        func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
        let places = labels.map { label in wanted.firstIndex { plain($0) == plain(label) } }
        let known = rows((0..<count).filter { places[self.labels[$0]] != nil })
        guard known.count > 0 else {
            throw Fault(.badData, "none of \(labels.joined(separator: ", ")) is learnt by this crowd: \(wanted.joined(separator: ", "))")
        }
        return try CrowdData(features: known.features, dimension: dimension, labels: known.labels.map { places[$0] ?? 0 })
    }
}

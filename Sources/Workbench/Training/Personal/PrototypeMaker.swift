internal import NeuralNetwork
internal import Recognition
internal import Support

/// Makes a network's prototypes of what its last layer read for windows that it was trained on.
struct PrototypeMaker {
    private enum Rule {
        /// A prototype rests on so many windows at least.
        static let fewest = 30
        /// Share of the usual variance in a prototype's own.
        static let shrinkage = 0.25
        /// Share of the training windows that lie within the limit.
        static let kept = 0.98
        /// The least deviation of a number, as a share of the mean of all: what hardly ever differs would otherwise outweigh the rest.
        static let floor = 0.125
    }

    private var groups: [(key: String, embeddings: [[Int16]])] = []
    private var places: [String: Int] = [:]

    /// - Parameter key: windows of one key belong together.
    mutating func take(_ embedding: [Int16], key: String) {
        let place = places[key] ?? groups.count
        if place == groups.count {
            places[key] = place
            groups.append((key, []))
        }
        groups[place].embeddings.append(embedding)
    }

    /// Nil where no key has enough windows.
    var prototypes: Prototypes? {
        let used = groups.map(\.embeddings).filter { $0.count >= Rule.fewest }
        guard let width = used.first?.first?.count, width <= Prototypes.widest else { return nil }
        let moments = used.map { ColumnMoments($0) }
        var usual = (0..<width).map { column in
            let sum = moments.reduce(0) { $0 + $1.variances[column] * Double($1.count) }
            return (sum / Double(moments.reduce(0) { $0 + $1.count })).squareRoot()
        }
        let least = max(1, usual.reduce(0, +) / Double(width) * Rule.floor)
        usual = usual.map { max($0, least) }
        var made = Prototypes(scales: usual.map { Int32((16_777_216 / $0).rounded()) })
        for moments in moments.prefix(Prototypes.most) { Self.add(moments, usual, to: &made) }
        let distances = made.distances(used.flatMap { $0 }).sorted()
        made.limit = distances[min(distances.count - 1, Int(Double(distances.count) * Rule.kept))]
        return made
    }

    /// Prototypes of more activities, beside those that are there.
    func added(to prototypes: Prototypes) -> Prototypes {
        var made = prototypes
        let usual = prototypes.scales.map { 16_777_216 / Double(max($0, 1)) }
        for group in groups where made.means.count < Prototypes.most && group.embeddings.first?.count == usual.count {
            Self.add(ColumnMoments(group.embeddings), usual, to: &made)
        }
        return made
    }

    private static func add(_ moments: ColumnMoments, _ usual: [Double], to made: inout Prototypes) {
        var precisions: [Int16] = [], offset = 0.0
        // Few windows do not tell a deviation.
        let own = Double(moments.count) / Double(moments.count + Rule.fewest / 3) * (1 - Rule.shrinkage)
        for (variance, usual) in zip(moments.variances, usual) {
            let relative = own * variance / (usual * usual) + 1 - own
            let range = Prototypes.precisionRange
            let precision = max(Double(range.lowerBound), min(Double(range.upperBound), (256 / relative.squareRoot()).rounded()))
            precisions.append(Int16(precision))
            offset += Exponential.log(65536 / (precision * precision))
        }
        made.means.append(
            zip(moments.means, made.scales).map { Int16(clamping: Int(($0 * Double($1) / 65536).rounded(.down))) })
        made.precisions.append(precisions)
        made.offsets.append(Int32((offset * 65536).rounded()))
    }
}

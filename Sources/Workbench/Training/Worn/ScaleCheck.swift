internal import Sensing
internal import Support

/// Finds recordings whose scale cannot be what the set says.
///
/// A sensor at rest measures 1 g. Whatever else somebody does for a minute, the mean acceleration is gravity, and the mean of its length is
/// at least as long. Two people of DSADS walk on stairs with 0.8 g: a network that learns from these confuses other people's stairs.
struct ScaleCheck {
    /// Recordings of which nothing contradicts their scale, with their set's name.
    private(set) var right: [(set: String, stream: LabelledStream)] = []
    /// What the others are, for messages.
    private(set) var misscaled: [String] = []
    /// Activities of which nothing is left.
    private(set) var lost: [String] = []

    /// Seconds, g.
    private static let shortest = 60, least = 0.88, most = 3.0
    /// A sensor that saturates loses the peaks: from this share of the samples at its end of the range on.
    private static let saturated = 0.01

    init(_ read: [(set: String, stream: LabelledStream)]) {
        var sets = SetScales()
        for (set, stream) in read { sets.take(stream, of: set) }
        let wrong = sets.wrong, others = read.indices.filter { wrong[read[$0].set] == nil }
        misscaled = SetScales.texts(wrong)
        // All recordings of one wearing together: some of them may be without rest.
        let wearings = Dictionary(grouping: others) { read[$0].stream.wearing(in: read[$0].set) }
        let rests = wearings.compactMapValues { indices in
            RestCheck.suspicious(indices.flatMap { read[$0].stream.pieces.map(\.samples) }, rate: read[indices[0]].stream.rate)
        }
        misscaled += rests.sorted { $0.key < $1.key }.map { "\($0.key) (\(RestCheck.text($0.value)) at rest)" }
        let odd = Set(rests.keys.flatMap { wearings[$0] ?? [] })
        for index in others where !odd.contains(index) {
            var (set, stream) = read[index]
            misscaled += Self.drop(from: &stream, in: set)
            if !stream.pieces.isEmpty { right.append((set, stream)) }
        }
        lost = Set(read.flatMap(\.stream.labels)).subtracting(right.flatMap(\.stream.labels)).sorted()
    }

    // Leaves out stretches of another scale, with their pieces where nothing else is in them.
    private static func drop(from stream: inout LabelledStream, in set: String) -> [String] {
        var dropped: [String] = []
        for index in stream.pieces.indices {
            let piece = stream.pieces[index]
            stream.pieces[index].stretches = piece.stretches.filter { stretch in
                guard let mean = fault(stretch, of: piece, rate: stream.rate) else { return true }
                let what = "\(stream.person)'s \(stretch.activity) at \(stream.placement) in \(set)"
                dropped.append("\(what) (\(RestCheck.text(mean)) in the mean)")
                return false
            }
        }
        if !dropped.isEmpty { stream.pieces.removeAll(where: \.stretches.isEmpty) }
        return dropped
    }

    /// The mean length of the acceleration in g where a stretch of a minute or longer is too short or long to be right; nil for the others.
    static func fault(_ stretch: LabelledStream.Stretch, of piece: LabelledStream.Piece, rate: Int) -> Double? {
        let count = stretch.range.count
        guard stretch.labels != nil, count >= Int(Int64(shortest) * Int64(rate) / 1000) else { return nil }
        let samples = piece.samples[stretch.range.lowerBound * 3..<stretch.range.upperBound * 3]
        var sum = 0.0
        for first in stride(from: samples.startIndex, to: samples.endIndex, by: 3) {
            let (x, y, z) = (Int64(samples[first]), Int64(samples[first + 1]), Int64(samples[first + 2]))
            sum += Double(x * x + y * y + z * z).squareRoot()
        }
        let mean = sum / Double(count) / 4096
        guard mean < least else { return mean > most ? mean : nil }
        let top = samples.reduce(0) { max($0, $1.magnitude) }, atEnd = samples.reduce(0) { $0 + ($1.magnitude == top ? 1 : 0) }
        return Double(atEnd) < saturated * Double(count) ? mean : nil
    }
}

internal import Sensing
internal import Support

/// Finds stretches of recordings whose scale cannot be what the set says.
///
/// Whatever somebody does for a minute, the mean acceleration is gravity, and the mean of its length is at least as long. Two people of
/// DSADS walk on stairs with 0.8 g: a network that learns from these confuses other people's stairs.
enum ScaleCheck {
    /// Seconds, g.
    private static let shortest = 60, least = 0.88
    /// A sensor that saturates loses the peaks: from this share of the samples at its end of the range on.
    private static let saturated = 0.01

    /// The mean length of the acceleration in g where a stretch of a minute or longer is too short to be right; nil for the others.
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
        guard mean < least else { return nil }
        let most = samples.reduce(0) { max($0, $1.magnitude) }, atEnd = samples.reduce(0) { $0 + ($1.magnitude == most ? 1 : 0) }
        return Double(atEnd) < saturated * Double(count) ? mean : nil
    }
}

extension LabelledStream {
    /// Leaves out stretches of another scale, with their pieces where nothing else is in them. Returns what each was, for messages.
    mutating func dropMisscaled(in set: String) -> [String] {
        var dropped: [String] = []
        for index in pieces.indices {
            let piece = pieces[index]
            pieces[index].stretches = piece.stretches.filter { stretch in
                guard let mean = ScaleCheck.fault(stretch, of: piece, rate: rate) else { return true }
                dropped.append("\(person)'s \(stretch.activity) at \(placement) in \(set) (\(Decimals.text(mean, places: 2)) g)")
                return false
            }
        }
        if !dropped.isEmpty { pieces.removeAll(where: \.stretches.isEmpty) }
        return dropped
    }
}

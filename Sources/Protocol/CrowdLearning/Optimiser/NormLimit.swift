/// How long a gradient may be: what is longer than the median of those before it is shortened to that. A participant who sends whatever it
/// likes then moves the weights no further than any other, as long as most are honest.
///
/// Source: clipping of norms with an adaptive bound, Andrew et al., "Differentially private learning with adaptive clipping", 2021.
struct NormLimit: Sendable, Equatable {
    private var norms: [Double] = []
    private var next = 0
    /// Of the first ones, about which nothing is known yet.
    private let first: Double

    private static let least = 8, most = 101

    /// - Parameters:
    ///   - noise: the scale of the noise that devices add.
    ///   - length: numbers of a gradient.
    init(noise: Double, length: Int) { first = 10 + 4 * noise.magnitude * (2 * Double(length)).squareRoot() }

    /// The factor that brings a gradient within the limit: 1 for one that is.
    mutating func factor(of gradient: [Double]) -> Double {
        let norm = Self.norm(gradient), limit = norms.count < Self.least ? first : norms.sorted()[norms.count / 2]
        let kept = min(norm, norms.count < Self.least ? first : 16 * limit) // what is far off moves the median no further either
        if norms.count < Self.most {
            norms.append(kept)
        } else {
            norms[next] = kept
            next = (next + 1) % Self.most
        }
        return norm > limit && norm > 0 ? limit / norm : 1
    }

    // Of numbers whose squares would not fit.
    private static func norm(_ values: [Double]) -> Double {
        let largest = values.reduce(0) { max($0, $1.magnitude) }
        guard largest > 0 else { return 0 }
        return largest * values.reduce(0) { $0 + ($1 / largest) * ($1 / largest) }.squareRoot()
    }
}

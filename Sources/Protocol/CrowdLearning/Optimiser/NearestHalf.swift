/// Whether a gradient lies where most of the latest ones lie: by the distances to the nearer half of them, which may be 1.3 times what half
/// of the others have. Who sends the opposite of what it should, or gradients of wrong labels, is left out, as long as most are honest; a
/// board whose wearer does what few others do is not (`Tests/Benchmarks/robust`).
///
/// Source: the score is Krum's (Blanchard et al., "Machine learning with adversaries", NIPS 2017), for gradients that come one by one.
struct NearestHalf: Sendable, Equatable {
    private var latest: [[Double]] = []
    private var next = 0
    // Squared, of each two of the latest.
    private var distances = [Double](repeating: 0, count: most * most)

    private static let least = 8, most = 36, factor = 1.3

    /// Notes the gradient, and says whether it is to count.
    mutating func admits(_ gradient: [Double]) -> Bool {
        let place = latest.count < Self.most ? latest.count : next
        if latest.count < Self.most {
            latest.append(gradient)
        } else {
            latest[next] = gradient
            next = (next + 1) % Self.most
        }
        for other in latest.indices where other != place {
            let distance = Self.distance(gradient, latest[other])
            (distances[place * Self.most + other], distances[other * Self.most + place]) = (distance, distance)
        }
        guard latest.count >= Self.least else { return true }
        let scores = latest.indices.map(score)
        return scores[place] <= Self.factor * scores.sorted()[scores.count / 2]
    }

    // Of one: to itself it is 0.
    private func score(_ place: Int) -> Double {
        let row = distances[place * Self.most..<place * Self.most + latest.count].sorted()
        return row[...(latest.count / 2)].reduce(0, +)
    }

    private static func distance(_ first: [Double], _ second: [Double]) -> Double {
        let a = first.span, b = second.span
        var sums = SIMD4<Double>.zero, index = 0
        while index + 4 <= a.count {
            let away =
                SIMD4(a[index], a[index + 1], a[index + 2], a[index + 3])
                - SIMD4(b[index], b[index + 1], b[index + 2], b[index + 3])
            sums += away * away
            index += 4
        }
        return (index..<a.count).reduce(sums.sum()) { $0 + (first[$1] - second[$1]) * (first[$1] - second[$1]) }
    }
}

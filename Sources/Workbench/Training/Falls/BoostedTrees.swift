internal import Glibc

/// Gradient boosting of trees of three levels on whole numbers: log-odds in 1/64, learnt by second-order gains. The same rows give the same
/// trees, to the bit.
///
/// Source: Friedman 2001; gains and leaves as in Chen and Guestrin, KDD 2016 (XGBoost), over histograms.
struct BoostedTrees {
    struct Options {
        var trees = 50
        var rate = 0.2, lambda = 1.0
        /// The least sum of second derivatives on each side of a split.
        var leastWeight = 3.0
        /// Values that a number's thresholds are chosen from.
        var bins = 64
    }

    static let depth = 3, nodes = 7, ends = 8, scale = 64.0

    private(set) var features: [Int8] = [], thresholds: [Int16] = []
    private(set) var leaves: [Int8] = []
    /// Log-odds of any row.
    private(set) var base = 0

    /// - Parameters:
    ///   - rows: numbers each, all as many.
    ///   - truth: whether a row is one of those looked for; both kinds are there.
    init(_ rows: [[Int16]], _ truth: [Bool], _ options: Options = Options()) {
        let width = rows.first?.count ?? 0, positives = Double(truth.count { $0 })
        base = Int((log(positives / max(1, Double(truth.count) - positives)) * Self.scale).rounded())
        let bins = (0..<width).map { column in Self.thresholds(rows.map { $0[column] }, options.bins) }
        // Which bin each number lies in, column by column.
        let places = (0..<width).map { column in rows.map { UInt8(Self.place($0[column], bins[column])) } }
        var score = [Double](repeating: Double(base), count: rows.count)
        for _ in 0..<options.trees {
            let slopes = rows.indices.map { row -> (g: Double, h: Double) in
                let p = 1 / (1 + exp(-score[row] / Self.scale))
                return (p - (truth[row] ? 1 : 0), p * (1 - p))
            }
            grow(bins, places, slopes, &score, options)
        }
    }

    private mutating func grow(
        _ bins: [[Int16]], _ places: [[UInt8]], _ slopes: [(g: Double, h: Double)], _ score: inout [Double], _ options: Options
    ) {
        var node = [Int](repeating: 0, count: slopes.count)
        for at in 0..<Self.nodes {
            let rows = node.indices.filter { node[$0] == at }
            let split = Self.split(rows, bins, places, slopes, options)
            features.append(Int8(split?.feature ?? 0))
            // All go left where nothing is gained.
            thresholds.append(split.map { bins[$0.feature][$0.bin] } ?? .max)
            for row in rows {
                let isRight = split.map { Int(places[$0.feature][row]) > $0.bin } ?? false
                node[row] = 2 * at + (isRight ? 2 : 1)
            }
        }
        var sums = [(g: Double, h: Double)](repeating: (0, 0), count: Self.ends)
        for row in node.indices {
            sums[node[row] - Self.nodes].g += slopes[row].g
            sums[node[row] - Self.nodes].h += slopes[row].h
        }
        let ends = sums.map { sum in
            Int8(max(-127, min(127, (-options.rate * sum.g / (sum.h + options.lambda) * Self.scale).rounded())))
        }
        leaves += ends
        for row in node.indices { score[row] += Double(ends[node[row] - Self.nodes]) }
    }

    private static func split(
        _ rows: [Int], _ bins: [[Int16]], _ places: [[UInt8]], _ slopes: [(g: Double, h: Double)], _ options: Options
    ) -> (feature: Int, bin: Int)? {
        var best = 1e-6, found: (feature: Int, bin: Int)?
        let all = rows.reduce(into: (g: 0.0, h: 0.0)) { sum, row in
            sum.g += slopes[row].g
            sum.h += slopes[row].h
        }
        let whole = all.g * all.g / (all.h + options.lambda)
        for feature in bins.indices {
            var sums = [(g: Double, h: Double)](repeating: (0, 0), count: bins[feature].count + 1)
            for row in rows {
                let place = Int(places[feature][row])
                sums[place].g += slopes[row].g
                sums[place].h += slopes[row].h
            }
            var left = (g: 0.0, h: 0.0)
            for bin in bins[feature].indices {
                left.g += sums[bin].g
                left.h += sums[bin].h
                let right = (g: all.g - left.g, h: all.h - left.h)
                guard left.h >= options.leastWeight, right.h >= options.leastWeight else { continue }
                let gain =
                    left.g * left.g / (left.h + options.lambda) + right.g * right.g / (right.h + options.lambda) - whole
                if gain > best { (best, found) = (gain, (feature, bin)) }
            }
        }
        return found
    }

    // The distinct values, or so many quantiles.
    private static func thresholds(_ column: [Int16], _ most: Int) -> [Int16] {
        let sorted = column.sorted()
        var distinct: [Int16] = []
        for value in sorted where value != distinct.last { distinct.append(value) }
        guard distinct.count > most else { return distinct }
        var chosen: [Int16] = []
        for step in 1..<most {
            let value = sorted[step * sorted.count / most]
            if value != chosen.last { chosen.append(value) }
        }
        return chosen
    }

    // Of the first threshold that is not below the value.
    private static func place(_ value: Int16, _ thresholds: [Int16]) -> Int {
        var low = 0, high = thresholds.count
        while low < high {
            let middle = (low + high) / 2
            if thresholds[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Log-odds of a row, 1/64.
    func score(_ row: [Int16]) -> Int {
        var sum = base
        for tree in 0..<leaves.count / Self.ends {
            var node = 0
            while node < Self.nodes {
                let at = tree * Self.nodes + node
                node = 2 * node + (row[Int(features[at])] > thresholds[at] ? 2 : 1)
            }
            sum += Int(leaves[tree * Self.ends + node - Self.nodes])
        }
        return sum
    }
}

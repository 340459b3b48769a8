internal import Conversion
internal import NeuralNetwork

/// How large the numbers in each column of rows are, and how much they differ.
struct ColumnSizes {
    let lowest: [Double], highest: [Double]
    /// The largest magnitude.
    var largest: [Double] { Self.largest(lowest, highest) }
    /// Standard deviations.
    let deviations: [Double]

    init(_ rows: CalibrationRows, width: Int) {
        var sums = [Double](repeating: 0, count: width), squares = sums
        var lowest = [Double](repeating: .infinity, count: width), highest = lowest.map { -$0 }
        for index in 0..<rows.count {
            for (column, number) in rows.row(index).enumerated() where column < width {
                let value = Double(number)
                sums[column] += value
                squares[column] += value * value
                lowest[column] = min(lowest[column], value)
                highest[column] = max(highest[column], value)
            }
        }
        let count = Double(max(rows.count, 1))
        (self.lowest, self.highest) = (lowest, highest)
        // Of one number nothing is left, where sums of it round.
        deviations = sums.indices.map { column in
            let mean = sums[column] / count
            return lowest[column] == highest[column] ? 0 : max(0, squares[column] / count - mean * mean).squareRoot()
        }
    }

    /// Steps with which small columns, and those far from zero, have about as many of the input's integers as the largest; nil where none
    /// has few.
    ///
    /// - Parameter graph: reads the rows.
    func steps(for graph: FloatGraph) -> ColumnSteps? {
        var lowest = lowest, highest = highest
        for forest in graph.forests(on: 0) {
            for (node, feature) in forest.features.enumerated() where feature >= 0 {
                let threshold = Double(forest.thresholds[node])
                lowest[Int(feature)] = min(lowest[Int(feature)], threshold)
                highest[Int(feature)] = max(highest[Int(feature)], threshold)
            }
        }
        // What trees compare has steps of at least 2^-12.
        let least = graph.hasForests ? 8.0 : 0, step = max(Self.largest(lowest, highest).max() ?? 0, least) * 0x1p-15
        let weights = graph.columnWeights(), isHeavy = isConstantHeavier(weights)
        guard isCoarse(step: step) || isHeavy else { return nil }
        let offsets = zip(lowest, highest).map { Self.offset($0, $1) }, sizes = Self.largest(lowest, highest, less: offsets)
        // Others' numbers may be larger; what trees compare needs the finest steps.
        let widest = max(sizes.max() ?? 0, least), spare = graph.hasForests ? 0 : Self.spare
        var exponents = sizes.map { $0 > 0 ? min(max(Int((widest / $0).exponent) - spare, 0), Self.most) : 0 }
        if isHeavy {
            // A column that was the same in all rows has a large weight that means nothing, and would make all others' coarse.
            let heaviest = zip(weights, exponents).enumerated().filter { deviations[$0.offset] > 0 }
                .reduce(0) { max($0, $1.element.0 / Double(sign: .plus, exponent: $1.element.1, significand: 1)) }
            for (column, weight) in weights.enumerated() where deviations[column] == 0 && weight > heaviest && heaviest > 0 {
                exponents[column] = min(Int((weight / heaviest).exponent) + 1, Self.most)
            }
        }
        let steps = ColumnSteps(exponents: exponents, offsets: offsets)
        return steps.hasOffsets || exponents.contains { $0 != 0 } ? steps : nil
    }

    /// Steps of a few kinds, for columns that go through a curve first; nil where there is one kind.
    func fewSteps() -> [Int]? {
        let widest = largest.max() ?? 0
        guard isCoarse(step: widest * 0x1p-15) else { return nil }
        let exponents = largest.map { size in
            size > 0 ? min(max(Int((widest / size).exponent) - Self.spareOfFew, 0), Self.mostOfFew) / Self.apart * Self.apart : 0
        }
        return Set(exponents).count > 1 ? exponents : nil
    }

    /// Steps with which all columns have about as many integers as there are at a scale of 1, and room for others' larger numbers.
    func stepsBesideRanks() -> ColumnSteps? { largest.allSatisfy(\.isFinite) ? steps(within: Self.besideRanks) : nil }

    /// Steps with which all columns' numbers are between half of a limit and the limit.
    func steps(within limit: Double) -> ColumnSteps {
        let offsets = zip(lowest, highest).map { Self.offset($0, $1) }, sizes = Self.largest(lowest, highest, less: offsets)
        let exponents = sizes.map { $0 > 0 ? min(max(Int((limit / $0).exponent), -Self.most), Self.most) : 0 }
        return ColumnSteps(exponents: exponents, offsets: offsets)
    }

    // Whether a constant column has a larger weight than all that are not.
    private func isConstantHeavier(_ weights: [Double]) -> Bool {
        let heaviest = zip(weights, deviations).reduce(0) { $1.1 > 0 ? max($0, $1.0) : $0 }
        return heaviest > 0 && zip(weights, deviations).contains { $1 == 0 && $0 > 2 * heaviest }
    }

    private func isCoarse(step: Double) -> Bool {
        step.isFinite && deviations.contains { $0 > 0 && $0 < Self.enough * step }
    }

    // What lies far from zero is moved there: numbers of a column are then at most a quarter as large.
    private static func offset(_ lowest: Double, _ highest: Double) -> Float {
        let middle = Float((lowest + highest) / 2)
        return 2 * (highest - lowest) <= max(lowest.magnitude, highest.magnitude) ? middle : 0
    }

    private static func largest(_ lowest: [Double], _ highest: [Double], less offsets: [Float]? = nil) -> [Double] {
        lowest.indices.map { index in
            let offset = Double(offsets?[index] ?? 0)
            return max((lowest[index] - offset).magnitude, (highest[index] - offset).magnitude)
        }
    }

    // Powers between the few kinds of steps, and the largest of these.
    private static let apart = 3, mostOfFew = 21, spareOfFew = 1
    // Powers for others' larger numbers.
    private static let spare = 2
    // Steps in a standard deviation that are as good as any; the largest power; a quarter of int16's integers.
    private static let enough = 1024.0, most = 60, besideRanks = 8000.0
}

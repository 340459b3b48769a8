internal import NeuralNetwork

/// Decision trees before quantisation; their nodes lie as in ``Forest``.
package struct FloatForest: Sendable, Equatable {
    package var features: [Int16]
    /// What is at most that goes to the first child.
    package var thresholds: [Float]
    /// Whether the file asks for less than the number above a threshold, as XGBoost's, which is often a number of the rows.
    package var isStrict: [Bool]
    package var children: [Int32]
    package var roots: [Int32]
    /// [leaves][classes]
    package var values: [Float]
    package var classes: Int

    /// Sums of the leaves' values, class by class.
    func run(_ row: [Float]) -> [Float] {
        var sums = [Float](repeating: 0, count: classes)
        for root in roots {
            var node = Int(root)
            while features[node] >= 0 { node = Int(children[node]) + (row[Int(features[node])] > thresholds[node] ? 1 : 0) }
            let leaf = Int(children[node])
            for index in 0..<classes { sums[index] += values[leaf * classes + index] }
        }
        return sums
    }
}

extension FloatForest {
    /// Of one tree: a one for the first of the largest classes, a zero for others.
    var choice: FloatForest? {
        guard roots.count == 1 else { return nil }
        var forest = self
        for start in stride(from: 0, to: values.count, by: classes) {
            let leaf = values[start..<start + classes], largest = leaf.firstIndex(of: leaf.max() ?? 0)
            for index in leaf.indices { forest.values[index] = index == largest ? 1 : 0 }
        }
        return forest
    }

    /// What its thresholds lie between.
    var limits: ClosedRange<Double>? {
        let asked = zip(features, thresholds).filter { $0.0 >= 0 }.map { Double($0.1) }
        guard let low = asked.min(), let high = asked.max() else { return nil }
        return low...high
    }

    /// What its sums lie between, whatever it reads.
    var sums: ClosedRange<Double> {
        var low = [Double](repeating: 0, count: classes), high = low
        for (tree, root) in roots.enumerated() {
            let end = tree + 1 < roots.count ? Int(roots[tree + 1]) : features.count
            let leaves = (Int(root)..<end).filter { features[$0] < 0 }.map { Int(children[$0]) * classes }
            for index in 0..<classes {
                let found = leaves.map { Double(values[$0 + index]) }
                low[index] += found.min() ?? 0
                high[index] += found.max() ?? 0
            }
        }
        return (low.min() ?? 0)...(high.max() ?? 0)
    }

    /// x <= t where the integer of x is at most t / scale, rounded down; x < t where it is less than the integer of t, so that rows which
    /// have this number stay on their side.
    func quantised(_ source: Tensor, to output: Quantisation) -> Forest {
        let peak = Double(values.reduce(0) { max($0, $1.magnitude) }), step = peak > 0 ? peak / 32767 : 1
        let range = source.type.range
        return Forest(
            features: features,
            thresholds: zip(thresholds, isStrict).map { threshold, isBelow in
                let steps = Double(isBelow ? threshold.nextUp : threshold) / source.quantisation.scale
                let integer = isBelow ? steps.rounded(.toNearestOrAwayFromZero) - 1 : steps.rounded(.down)
                return Int16(min(Double(range.upperBound), max(Double(range.lowerBound), integer + Double(source.quantisation.zeroPoint))))
            }, children: children, roots: roots,
            values: values.map { Int16((Double($0) / step).rounded()) }, multiplier: Multiplier(step / output.scale))
    }
}

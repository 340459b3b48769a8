internal import Conversion
internal import Support

/// The network while it learns: input - hidden (ReLU) - classes, in float.
struct FloatNetwork {
    /// [inputs][outputs] of each layer, and its biases in a matrix of one row.
    package var weights: [Matrix]
    var biases: [Matrix]

    /// He's initialisation: normal, variance 2 / inputs.
    init(inputs: Int, hidden: Int, outputs: Int, _ random: inout RandomNumbers) {
        weights = []
        biases = []
        for (rows, columns) in [(inputs, hidden), (hidden, outputs)] {
            var matrix = Matrix(rows, columns)
            let deviation = (2 / Double(rows)).squareRoot()
            for row in 0..<rows {
                for column in 0..<columns { matrix[row, column] = Float(random.normal() * deviation) }
            }
            weights.append(matrix)
            biases.append(Matrix(1, columns))
        }
    }

    /// The network as the quantiser takes it, with inputs in the unit before `normalisation`.
    func graph(undoing normalisation: Normalisation) -> FloatGraph {
        var graph = FloatGraph(input: FloatShape(channels: weights[0].rows))
        for (index, matrix) in weights.enumerated() {
            var layer = FloatWeights(
                inputs: matrix.rows, outputs: matrix.columns, values: [Float](repeating: 0, count: matrix.rows * matrix.columns),
                bias: (0..<matrix.columns).map { biases[index][0, $0] })
            for output in 0..<matrix.columns {
                for input in 0..<matrix.rows { layer.values[output * matrix.rows + input] = matrix[input, output] }
            }
            if index == 0 { layer.undo(normalisation) }
            graph.appendDense(layer)
            if index + 1 < weights.count { graph.appendCurve(.relu) }
        }
        return graph
    }
}

extension FloatWeights {
    /// Takes inputs as they are, before a normalisation.
    mutating func undo(_ normalisation: Normalisation) {
        for output in 0..<outputs {
            for input in 0..<inputs {
                let (mean, scale) = normalisation.column(input), weight = values[output * inputs + input] * scale
                values[output * inputs + input] = weight
                bias[output] -= weight * mean
            }
        }
    }
}

/// What the trainer does to inputs so that they are of size 1: subtracts a mean, multiplies by a scale.
struct Normalisation {
    /// Of each axis, and one scale for all.
    private(set) var mean: [Float]
    private(set) var scale: Float
    /// Of each feature behind the samples.
    private var features: [(mean: Float, scale: Float)] = []
    /// Numbers before the features.
    private var samples = Int.max

    init(mean: [Float] = [0, 0, 0], scale: Float = 1) {
        self.mean = mean
        self.scale = scale
    }

    /// Of each feature, where there is nothing else.
    init(means: [Float], scales: [Float]) {
        self.init()
        samples = 0
        features = Array(zip(means, scales))
    }

    /// Of column `index` of a row.
    func column(_ index: Int) -> (mean: Float, scale: Float) { index < samples ? (mean[index % 3], scale) : features[index - samples] }

    /// The same with features behind the first `samples` numbers, out of some rows.
    mutating func addFeatures(behind samples: Int, _ rows: [[Float]]) {
        self.samples = samples
        features = (samples..<(rows.first?.count ?? samples)).map { column in
            let values: [Double] = rows.map { Double($0[column]) }, mean = values.reduce(0, +) / Double(values.count)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
            // A scale far above the others' would leave their weights few of the eight bits.
            return (Float(mean), Float(1 / max(variance.squareRoot(), 0.05)))
        }
    }

    /// From the labelled stretches' samples: they then have a mean of 0 on each axis, and together a deviation of 1.
    init(_ set: TrainingSet) {
        var sums = [Int64](repeating: 0, count: 3), squares: Int64 = 0, count = 0
        for segment in set.segments where !segment.isTest {
            let samples = set.streams[segment.stream].samples[segment.range.lowerBound * 3..<segment.range.upperBound * 3]
            for (index, sample) in samples.enumerated() {
                sums[index % 3] += Int64(sample)
                squares += Int64(sample) * Int64(sample)
            }
            count += segment.range.count
        }
        let means: [Double] = sums.map { Double($0) / Double(max(count, 1)) }
        let variance = (Double(squares) / Double(max(count, 1)) - means.reduce(0) { $0 + $1 * $1 }) / 3
        mean = means.map { Float($0 * 0x1p-12) }
        scale = Float(4096 / max(variance, 1).squareRoot())
    }
}

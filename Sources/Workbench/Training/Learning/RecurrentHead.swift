internal import Conversion
internal import NeuralNetwork
internal import Support

/// What goes on from window to window in a network, while it learns: a dense layer with ReLU, an LSTM, and a dense layer on what both
/// give.
struct RecurrentHead {
    /// Sizes of the layers.
    struct Sizes {
        var dense = 32
        /// A multiple of four.
        var units = 32
    }

    /// What a batch is to be taken for.
    struct Targets {
        /// What is not to be learnt from: no window there, or one that no label covers.
        static let nothing = -1
        /// What no class is to be taken for: all of them are to seem equally likely.
        static let outlier = -2

        /// Class of each window, or one of the above.
        var labels: [Int]
        /// Share of each target that is spread over all classes.
        var smoothing: Float
        /// Extra weight of the first window of each sequence that begins, which knows of none before it.
        var first: Float
        /// Of each sequence, whether it begins; the others go on from the batch before. Empty: all begin.
        var begins: [Bool] = []
    }

    private let sizes: Sizes
    private let classes: Int
    var dense: TrainableLayer
    var lstm: LSTMLayer
    var last: TrainableLayer
    /// Where the sequences of the latest batch ended.
    private var state: LSTMLayer.State?

    init(inputs: Int, classes: Int, sizes: Sizes, _ random: inout RandomNumbers) {
        (self.classes, self.sizes) = (classes, sizes)
        dense = TrainableLayer(inputs: inputs, outputs: sizes.dense, &random)
        lstm = LSTMLayer(inputs: sizes.dense, units: sizes.units, &random)
        last = TrainableLayer(
            inputs: sizes.units + sizes.dense, outputs: classes, deviation: 1 / Double(sizes.units + sizes.dense).squareRoot(), &random)
    }

    /// The loss's gradients, in every layer's moments. Windows of a step lie together.
    ///
    /// - Parameters:
    ///   - inputs: [steps x batch][inputs]
    ///   - dropout: shares of the inputs, and of what the dense layer gives, that are left out.
    /// - Returns: the error of the inputs.
    mutating func takeGradients(
        _ inputs: Matrix, steps: Int, _ targets: Targets, dropout: (before: Double, after: Double), _ random: inout RandomNumbers
    ) -> Matrix {
        var inputs = inputs
        let before = Self.mask(inputs, dropout.before, &random)
        inputs.multiply(before)
        var encoded = Matrix(inputs.rows, sizes.dense)
        dense.forward(inputs, into: &encoded, floor: 0)
        let after = Self.mask(encoded, dropout.after, &random)
        encoded.multiply(after)
        let sequence = encoded.split(steps)
        let joined = Matrix(joining: Matrix(stacking: lstm.forward(sequence, from: start(targets))), encoded)
        var error = Matrix(inputs.rows, classes)
        state = lstm.state
        last.forward(joined, into: &error)
        Self.subtractTargets(&error, targets, batch: inputs.rows / steps)

        var joinedError = Matrix(joined.rows, joined.columns)
        last.backward(joined, error, into: &joinedError)
        let (hiddenError, direct) = joinedError.parted(at: sizes.units)
        var encodedError = Matrix(stacking: lstm.backward(sequence, hiddenError.split(steps)))
        encodedError.add(direct)
        encodedError.multiply(after)
        encodedError.clear(where: encoded, rows: encoded.rows)
        var inputError = Matrix(inputs.rows, inputs.columns)
        dense.backward(inputs, encodedError, into: &inputError)
        inputError.multiply(before)
        return inputError
    }

    private func start(_ targets: Targets) -> LSTMLayer.State? {
        guard var start = state, targets.begins.contains(false) else { return nil }
        for (row, isFirst) in targets.begins.enumerated() where isFirst { start.clear(row) }
        return start
    }

    // 0 for what is left out, and what makes up for it for the rest.
    private static func mask(_ matrix: Matrix, _ dropout: Double, _ random: inout RandomNumbers) -> Matrix {
        var mask = matrix
        let kept = Float(1 / (1 - dropout)), limit = UInt64(dropout * 65536)
        for row in 0..<matrix.rows {
            for column in stride(from: 0, to: matrix.columns, by: 4) {
                let bits = random.next()
                for offset in 0..<min(4, matrix.columns - column) {
                    mask[row, column + offset] = bits >> (16 * UInt64(offset)) & 0xffff < limit ? 0 : kept
                }
            }
        }
        return mask
    }

    // Scores to the errors of soft-max cross-entropy: the mean over all windows, and over the first ones.
    private static func subtractTargets(_ scores: inout Matrix, _ targets: Targets, batch: Int) {
        let labels = targets.labels
        let begins = targets.begins.isEmpty ? [Bool](repeating: true, count: batch) : targets.begins
        let all = max(1, labels.count { $0 != Targets.nothing }),
            firsts = max(1, (0..<batch).count { begins[$0] && labels[$0] != Targets.nothing })
        for (row, label) in labels.enumerated() {
            let isLearnt = label != Targets.nothing, spread = label == Targets.outlier ? 1 : targets.smoothing
            let weight = 1 / Float(all) + (row < batch && begins[row] ? targets.first / Float(firsts) : 0)
            scores.subtractTargets(row, label: label, spread: spread) { isLearnt ? $0 * weight : 0 }
        }
    }

    var squaredGradient: Double {
        dense.squaredGradient + last.squaredGradient + lstm.input.squaredGradient + lstm.recurrent.squaredGradient
    }

    mutating func update(_ adam: Adam, factor: Float, decay: Float) {
        dense.update(adam, factor: factor, decay: decay)
        lstm.input.update(adam, factor: factor, decay: decay)
        lstm.recurrent.update(adam, factor: factor, decay: decay)
        last.update(adam, factor: factor, decay: decay)
    }

    /// Appends its layers to a graph.
    ///
    /// - Parameters:
    ///   - first: the weights of the dense layer, in the unit of the graph's numbers.
    ///   - sharpness: what the scores before soft-max are multiplied by.
    func append(to graph: inout FloatGraph, first: FloatWeights, sharpness: Float = 1) {
        graph.appendDense(first)
        graph.appendCurve(.relu)
        let encoded = graph.layers.count
        graph.append(.lstm(FloatLSTM(weights: lstm.input.floats(), recurrent: lstm.recurrent.floats())), FloatShape(channels: sizes.units))
        graph.layers.append(
            FloatLayer(.concatenation(axis: 2), sources: [encoded + 1, encoded], shape: FloatShape(channels: sizes.units + sizes.dense)))
        var scores = last.floats()
        scores.values = scores.values.map { $0 * sharpness }
        scores.bias = scores.bias.map { $0 * sharpness }
        graph.appendDense(scores)
    }
}

extension TrainableLayer {
    /// A step with the gradient made shorter by `factor`, where it is below 1.
    mutating func update(_ adam: Adam, factor: Float, decay: Float) {
        if factor < 1 { scaleGradient(factor) }
        update(adam, decay: decay)
    }

    /// With the inputs in another unit, of which `scale` makes the one that was learnt in.
    func floats(scale: Float = 1) -> FloatWeights {
        let values = (0..<weights.columns).flatMap { output in (0..<weights.rows).map { weights[$0, output] * scale } }
        return FloatWeights(inputs: weights.rows, outputs: weights.columns, values: values, bias: (0..<weights.columns).map { bias[0, $0] })
    }
}

internal import Conversion
internal import Support

/// An LSTM over some steps of a batch of sequences; gates in the order input, forget, modulation, output.
struct LSTMLayer {
    let units: Int
    /// [inputs][4 x units], with the biases.
    var input: TrainableLayer
    /// [units][4 x units]; its biases stay 0.
    var recurrent: TrainableLayer

    private struct Step {
        /// After their curves, [batch][4 x units].
        var gates: Matrix
        /// [batch][units]
        var cell: Matrix
        var curve: Matrix
        var hidden: Matrix
    }

    private var steps: [Step] = []
    private var start: State?

    /// What goes on from one batch to the next, [batch][units].
    struct State {
        var hidden: Matrix
        var cell: Matrix

        /// A sequence that begins knows nothing.
        mutating func clear(_ row: Int) {
            for unit in 0..<hidden.columns { (hidden[row, unit], cell[row, unit]) = (0, 0) }
        }
    }

    /// After the last step.
    var state: State? { steps.last.map { State(hidden: $0.hidden, cell: $0.cell) } }

    /// - Parameter units: a multiple of four.
    init(inputs: Int, units: Int, _ random: inout RandomNumbers) {
        precondition(units % 4 == 0)
        self.units = units
        let deviation = 1 / Double(3 * units).squareRoot()
        input = TrainableLayer(inputs: inputs, outputs: 4 * units, deviation: deviation, &random)
        recurrent = TrainableLayer(inputs: units, outputs: 4 * units, deviation: deviation, &random)
    }

    /// What comes out of every step, from a state, or from zero. `inputs`: [batch][inputs] of each step.
    mutating func forward(_ inputs: [Matrix], from start: State? = nil) -> [Matrix] {
        let batch = inputs[0].rows
        var hidden = start?.hidden ?? Matrix(batch, units), cell = start?.cell ?? Matrix(batch, units)
        self.start = start
        steps = []
        for matrix in inputs {
            var gates = Matrix(batch, 4 * units), curve = Matrix(batch, units)
            input.forward(matrix, into: &gates)
            gates.setProduct(hidden, recurrent.weights, rows: batch, adding: true)
            var nextCell = cell, nextHidden = hidden
            for row in 0..<batch {
                for unit in stride(from: 0, to: units, by: 4) {
                    func gate(_ index: Int, _ function: Activation) -> SIMD4<Float> {
                        let values = SIMD4<Float>(function.values(SIMD4<Double>(gates.four(row, index * units + unit))))
                        gates.setFour(row, index * units + unit, values)
                        return values
                    }
                    let (i, f, z, o) = (gate(0, .sigmoid), gate(1, .sigmoid), gate(2, .tanh), gate(3, .sigmoid))
                    let state = f * cell.four(row, unit) + i * z, shown = SIMD4<Float>(Activation.tanh.values(SIMD4<Double>(state)))
                    nextCell.setFour(row, unit, state)
                    curve.setFour(row, unit, shown)
                    nextHidden.setFour(row, unit, o * shown)
                }
            }
            (hidden, cell) = (nextHidden, nextCell)
            steps.append(Step(gates: gates, cell: cell, curve: curve, hidden: hidden))
        }
        return steps.map(\.hidden)
    }

    /// Back through time, up to the state that it began with: errors of what came out of each step; the errors of the inputs are returned.
    mutating func backward(_ inputs: [Matrix], _ errors: [Matrix]) -> [Matrix] {
        let batch = inputs[0].rows, inputTurned = input.weights.transposed(), recurrentTurned = recurrent.weights.transposed()
        var hiddenError = Matrix(batch, units), cellError = hiddenError, result = inputs, gateError = Matrix(batch, 4 * units)
        input.weightMoments.gradient.scale(0)
        input.biasMoments.gradient.scale(0)
        recurrent.weightMoments.gradient.scale(0)
        for index in inputs.indices.reversed() {
            let step = steps[index], before = index > 0 ? State(hidden: steps[index - 1].hidden, cell: steps[index - 1].cell) : start
            for row in 0..<batch {
                for unit in 0..<units {
                    let (i, f, z, o) = (
                        step.gates[row, unit], step.gates[row, units + unit], step.gates[row, 2 * units + unit],
                        step.gates[row, 3 * units + unit]
                    )
                    let error = errors[index][row, unit] + hiddenError[row, unit], curve = step.curve[row, unit]
                    let inner = cellError[row, unit] + error * o * (1 - curve * curve)
                    gateError[row, unit] = inner * z * i * (1 - i)
                    gateError[row, units + unit] = inner * (before?.cell[row, unit] ?? 0) * f * (1 - f)
                    gateError[row, 2 * units + unit] = inner * i * (1 - z * z)
                    gateError[row, 3 * units + unit] = error * curve * o * (1 - o)
                    cellError[row, unit] = inner * f
                }
            }
            input.weightMoments.gradient.setProduct(transposed: inputs[index], gateError, depth: batch, adding: true)
            input.biasMoments.gradient.setSums(gateError, rows: batch, adding: true)
            if let before { recurrent.weightMoments.gradient.setProduct(transposed: before.hidden, gateError, depth: batch, adding: true) }
            result[index].setProduct(gateError, inputTurned, rows: batch)
            hiddenError.setProduct(gateError, recurrentTurned, rows: batch)
        }
        return result
    }
}

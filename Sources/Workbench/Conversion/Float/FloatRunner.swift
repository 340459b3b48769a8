internal import NeuralNetwork
internal import Support

/// Runs a network of floats on one row of numbers: for calibration, and to say what quantisation costs.
///
/// Sums are in a fixed order without fused multiply-adds: the same bits on every platform.
package struct FloatRunner {
    package let graph: FloatGraph

    package init(_ graph: FloatGraph) { self.graph = graph }

    /// What layers remember from one input to the next, by layer.
    package struct State {
        fileprivate var hidden: [Int: [Float]] = [:]
        fileprivate var cell: [Int: [Float]] = [:]

        package init() {}
    }

    /// What every tensor holds for an input: the input itself, then each layer's output. Layers that remember begin anew.
    ///
    /// Shapes: input: as many as the graph's input has. `cells` are the LSTM cells' values by layer, over all steps.
    package func run(_ input: [Float]) -> (tensors: [[Float]], cells: [Int: [Float]]) {
        var state = State()
        return run(input, &state)
    }

    /// The same, going on from a state.
    package func run(_ input: [Float], _ state: inout State) -> (tensors: [[Float]], cells: [Int: [Float]]) {
        var tensors = [input], cells: [Int: [Float]] = [:]
        for (index, layer) in graph.layers.enumerated() {
            let sources = layer.sources.map { tensors[$0] }, shape = graph.shape(layer.sources[0])
            switch layer.operation {
            case .lstm(let lstm):
                let (rows, cell) = run(lstm, sources[0], &state.hidden[index], &state.cell[index])
                tensors.append(rows)
                cells[index] = cell
            case .gru(let gru): tensors.append(run(gru, sources[0], &state.hidden[index]))
            default: tensors.append(layer.run(sources, shape))
            }
        }
        return (tensors, cells)
    }

    private func run(
        _ lstm: FloatLSTM, _ source: [Float], _ lastHidden: inout [Float]?, _ lastCell: inout [Float]?
    ) -> (rows: [Float], cells: [Float]) {
        let units = lstm.units, inputs = lstm.weights.inputs, zeros = [Float](repeating: 0, count: units)
        var hidden = lastHidden ?? zeros, cell = lastCell ?? zeros, rows: [Float] = [], cells: [Float] = []
        for start in stride(from: 0, to: source.count, by: inputs) {
            let from = lstm.weights.product(rows: Array(source[start..<start + inputs])),
                back = lstm.recurrent.product(rows: hidden)
            for unit in 0..<units {
                func gate(_ index: Int) -> Double { Double(from[index * units + unit] + back[index * units + unit]) }
                let kept = Activation.sigmoid.value(gate(1)) * Double(cell[unit]),
                    added = Activation.sigmoid.value(gate(0)) * Activation.tanh.value(gate(2))
                let sum = kept + added, clip = lstm.cellClip
                cell[unit] = Float(clip > 0 ? min(max(sum, -clip), clip) : sum)
                hidden[unit] = Float(Activation.sigmoid.value(gate(3)) * Activation.tanh.value(Double(cell[unit])))
            }
            rows += hidden
            cells += cell
        }
        (lastHidden, lastCell) = (hidden, cell)
        return (rows, cells)
    }

    private func run(_ gru: FloatGRU, _ source: [Float], _ last: inout [Float]?) -> [Float] {
        let units = gru.units, inputs = gru.weights.inputs
        var hidden = last ?? [Float](repeating: 0, count: units), rows: [Float] = []
        for start in stride(from: 0, to: source.count, by: inputs) {
            let from = gru.weights.product(rows: Array(source[start..<start + inputs])),
                back = gru.recurrent.product(rows: hidden)
            let gates = (0..<2 * units).map { Activation.sigmoid.value(Double(from[$0] + back[$0])) }
            let candidate =
                gru.resetAfter
                ? back.enumerated().map { Float(gates[units + $0.offset % units]) * $0.element }
                : gru.recurrent.product(rows: (0..<units).map { Float(gates[units + $0]) * hidden[$0] })
            for unit in 0..<units {
                let new = Activation.tanh.value(Double(from[2 * units + unit] + candidate[2 * units + unit]))
                hidden[unit] = Float((1 - gates[unit]) * new + gates[unit] * Double(hidden[unit]))
            }
            rows += hidden
        }
        last = hidden
        return rows
    }

    /// Shares of the whole that the powers of some numbers have.
    static func softmax(_ row: ArraySlice<Float>) -> [Double] {
        let highest = Double(row.max() ?? 0), powers = row.map { Exponential.exp(Double($0) - highest) }, sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}

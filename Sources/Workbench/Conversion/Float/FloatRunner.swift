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
            default: tensors.append(run(layer, sources, shape))
            }
        }
        return (tensors, cells)
    }

    private func run(_ layer: FloatLayer, _ sources: [[Float]], _ shape: FloatShape) -> [Float] {
        let source = sources[0]
        switch layer.operation {
        case .dense(let weights): return Self.product(weights, rows: source)
        case .convolution(let weights, let sliding):
            return positions(layer.shape).flatMap { Self.product(weights, rows: Self.patch(source, shape, sliding, $0)) }
        case .depthwise(let weights, let sliding): return positions(layer.shape).flatMap { depthwise(weights, source, shape, sliding, $0) }
        case .averagePool(let sliding): return pooled(layer.shape, shape, sliding, source) { $0.reduce(0, +) / Float(max($0.count, 1)) }
        case .maxPool(let sliding): return pooled(layer.shape, shape, sliding, source) { $0.max() ?? 0 }
        case .mean:
            return (0..<shape.channels).map { channel in
                stride(from: channel, to: source.count, by: shape.channels).reduce(0) { $0 + source[$1] } / Float(shape.positions)
            }
        case .add: return zip(source, sources[1]).map { $0 + $1 }
        case .concatenation(let axis):
            let outer = axis == 0 ? 1 : axis == 1 ? layer.shape.height : layer.shape.positions
            return (0..<outer).flatMap { row in sources.flatMap { $0[row * ($0.count / outer)..<(row + 1) * ($0.count / outer)] } }
        case .slice(let first): return Array(source[first * shape.channels..<first * shape.channels + layer.shape.count])
        case .reshape: return source
        case .curve(let curve): return source.map { Float(curve.value(Double($0))) }
        case .gather(let places): return places.map { $0 < 0 ? 0 : source[Int($0)] }
        case .constant(let values): return values
        case .subtract: return zip(source, sources[1]).map { $0 - $1 }
        case .multiply: return zip(source, sources[1]).map { $0 * $1 }
        case .maximum: return zip(source, sources[1]).map { max($0, $1) }
        case .minimum: return zip(source, sources[1]).map { min($0, $1) }
        case .matrixProduct: return matrixProduct(source, sources[1], layer.shape, depth: shape.channels)
        case .softmax: return softmax(source, channels: shape.channels)
        case .forest(let forest): return forest.run(source)
        case .lstm, .gru: return []
        }
    }

    private func matrixProduct(_ left: [Float], _ right: [Float], _ output: FloatShape, depth: Int) -> [Float] {
        (0..<output.height).flatMap { matrix in
            (0..<output.width).flatMap { row in
                (0..<output.channels).map { column in
                    let a = (matrix * output.width + row) * depth, b = (matrix * output.channels + column) * depth
                    return (0..<depth).reduce(0) { $0 + left[a + $1] * right[b + $1] }
                }
            }
        }
    }

    private func softmax(_ source: [Float], channels: Int) -> [Float] {
        stride(from: 0, to: source.count, by: channels).flatMap { Self.softmax(source[$0..<$0 + channels]).map { Float($0) } }
    }

    /// Shares of the whole that the powers of some numbers have.
    static func softmax(_ row: ArraySlice<Float>) -> [Double] {
        let highest = Double(row.max() ?? 0), powers = row.map { Exponential.exp(Double($0) - highest) }, sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }

    private func positions(_ shape: FloatShape) -> [(row: Int, column: Int)] {
        (0..<shape.height).flatMap { row in (0..<shape.width).map { (row, $0) } }
    }

    // The indices of the input's positions under the window, nil where it is padding.
    private static func window(_ shape: FloatShape, _ sliding: KernelShape, _ position: (row: Int, column: Int)) -> [Int?] {
        (0..<sliding.height).flatMap { y in
            (0..<sliding.width).map { x in
                let row = position.row * sliding.strideHeight - sliding.top + y * sliding.dilationHeight
                let column = position.column * sliding.strideWidth - sliding.left + x * sliding.dilationWidth
                return (0..<shape.height).contains(row) && (0..<shape.width).contains(column) ? row * shape.width + column : nil
            }
        }
    }

    private static func patch(
        _ source: [Float], _ shape: FloatShape, _ sliding: KernelShape, _ position: (row: Int, column: Int)
    ) -> [Float] {
        window(shape, sliding, position).flatMap { at in
            at.map { source[$0 * shape.channels..<($0 + 1) * shape.channels] } ?? ArraySlice(repeating: 0, count: shape.channels)
        }
    }

    /// Some of what lies wholly under a window, at one position after the other.
    static func patches(_ source: [Float], _ shape: FloatShape, _ window: KernelShape) -> [[Float]] {
        let height = shape.height - (window.height - 1) * window.dilationHeight,
            width = shape.width - (window.width - 1) * window.dilationWidth
        guard height > 0, width > 0 else { return [] }
        let count = height * width, every = max(1, count / mostPatches)
        var whole = window
        (whole.top, whole.left, whole.strideHeight, whole.strideWidth) = (0, 0, 1, 1)
        return stride(from: 0, to: count, by: every).map { patch(source, shape, whole, ($0 / width, $0 % width)) }
    }

    // Of a row; neighbours are much alike.
    private static let mostPatches = 8

    private func depthwise(
        _ weights: FloatWeights, _ source: [Float], _ shape: FloatShape, _ sliding: KernelShape, _ position: (row: Int, column: Int)
    ) -> [Float] {
        let places = Self.window(shape, sliding, position), each = weights.outputs / shape.channels
        return (0..<weights.outputs).map { output in
            places.enumerated().reduce(weights.bias[output]) { sum, place in
                guard let at = place.element else { return sum }
                return sum + source[at * shape.channels + output / each] * weights.values[output * weights.inputs + place.offset]
            }
        }
    }

    private func pooled(
        _ output: FloatShape, _ shape: FloatShape, _ sliding: KernelShape, _ source: [Float], _ of: ([Float]) -> Float
    ) -> [Float] {
        positions(output).flatMap { position in
            let places = Self.window(shape, sliding, position).compactMap { $0 }
            return (0..<shape.channels).map { channel in of(places.map { source[$0 * shape.channels + channel] }) }
        }
    }

    private func run(
        _ lstm: FloatLSTM, _ source: [Float], _ lastHidden: inout [Float]?, _ lastCell: inout [Float]?
    ) -> (rows: [Float], cells: [Float]) {
        let units = lstm.units, inputs = lstm.weights.inputs, zeros = [Float](repeating: 0, count: units)
        var hidden = lastHidden ?? zeros, cell = lastCell ?? zeros, rows: [Float] = [], cells: [Float] = []
        for start in stride(from: 0, to: source.count, by: inputs) {
            let from = Self.product(lstm.weights, rows: Array(source[start..<start + inputs])),
                back = Self.product(lstm.recurrent, rows: hidden)
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
            let from = Self.product(gru.weights, rows: Array(source[start..<start + inputs])),
                back = Self.product(gru.recurrent, rows: hidden)
            let gates = (0..<2 * units).map { Activation.sigmoid.value(Double(from[$0] + back[$0])) }
            let candidate =
                gru.resetAfter
                ? back.enumerated().map { Float(gates[units + $0.offset % units]) * $0.element }
                : Self.product(gru.recurrent, rows: (0..<units).map { Float(gates[units + $0]) * hidden[$0] })
            for unit in 0..<units {
                let new = Activation.tanh.value(Double(from[2 * units + unit] + candidate[2 * units + unit]))
                hidden[unit] = Float((1 - gates[unit]) * new + gates[unit] * Double(hidden[unit]))
            }
            rows += hidden
        }
        last = hidden
        return rows
    }

    /// Weights times every row of `inputs` numbers.
    static func product(_ weights: FloatWeights, rows: [Float]) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(rows.count / weights.inputs * weights.outputs)
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe weights.values.withUnsafeBufferPointer { values in
                for start in stride(from: 0, to: rows.count, by: weights.inputs) {
                    let row = unsafe UnsafeBufferPointer(rebasing: rows[start..<start + weights.inputs])
                    for index in 0..<weights.outputs {
                        let line = unsafe UnsafeBufferPointer(rebasing: values[index * weights.inputs..<(index + 1) * weights.inputs])
                        unsafe output.append(weights.bias[index] + dot(row, line))
                    }
                }
            }
        }
        return output
    }

    private static func dot(_ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Float {
        var sums = SIMD8<Float>.zero, index = 0
        while index + 8 <= a.count {
            let left = unsafe UnsafeRawPointer(a.baseAddress! + index).loadUnaligned(as: SIMD8<Float>.self)
            let right = unsafe UnsafeRawPointer(b.baseAddress! + index).loadUnaligned(as: SIMD8<Float>.self)
            sums += left * right
            index += 8
        }
        var sum = sums.sum()
        while index < a.count {
            sum += unsafe a[index] * b[index]
            index += 1
        }
        return sum
    }
}

public import Models
public import Support

/// A float network from elsewhere on real windows: what its values are, so that it can be quantised, and what that costs.
public struct FloatCalibration {
    /// The network in fixed point.
    public let network: Network
    /// Windows of the recordings.
    public let windows: Int
    /// How many of them float and fixed point decide alike.
    public let equal: Int
    /// Windows that are decided right, where the labels are the recordings'.
    public let rightInFloat: Int, rightInFixed: Int

    /// - Parameters:
    ///   - layers: take windows in g: x, y, z of each sample, filtered.
    ///   - labels: one for each output.
    ///   - hop: samples between two windows, in the recordings and for the loop.
    ///
    /// Errors: `.usage` when labels or inputs do not fit; those of ``TrainingSet``.
    public init(_ layers: [FloatLayer], labels: [String], recordings: String, bits: Int, hop: Int) throws(Fault) {
        guard let first = layers.first, let last = layers.last, first.inputs % 3 == 0 else {
            throw Fault(.usage, "the network takes \(layers.first?.inputs ?? 0) numbers, which are no windows of x, y, z")
        }
        guard labels.count == last.outputs else { throw Fault(.usage, "the network has \(last.outputs) outputs; \(labels.count) labels were given") }
        let set = try TrainingSet(directory: recordings, window: first.inputs / 3)
        let positions = set.positions(of: Set(set.subjects), hop: hop)
        var input = Calibrator(width: first.inputs), places = layers.map { Place(width: $0.outputs) }, decided: [Int] = []
        let runner = FloatRunner(layers)
        for position in positions {
            let window = set.samples(at: position).map { Float($0) * 0x1p-12 }, values = runner.run(window)
            input.take(window)
            for (index, row) in values.enumerated() { places[index].take(row) }
            decided.append(Self.largest(values[values.count - 1]))
        }
        // Rare peaks of the input are cut, as the trainer does, so that the steps between are finer.
        let seen = [input.calibration(losing: 1e-4)] + places.map(\.calibration)
        let quantised = Quantiser.quantise(layers, seen, bits: bits)
        var network = Network(labels: labels, window: set.window, hop: min(hop, set.window), bits: bits, input: quantised.input, layers: quantised.layers)
        var compiled = try CompiledNetwork(network)
        network.golden = compiled.golden(for: try GoldenWindow.samples(set.window))
        let named = labels.map { set.labels.firstIndex(of: $0) }
        var probabilities = [Int16](repeating: 0, count: labels.count), equal = 0, right = (float: 0, fixed: 0)
        for (position, float) in zip(positions, decided) {
            let fixed = compiled.classify(Array(set.samples(at: position)), &probabilities), truth = set.label(of: position)
            equal += fixed == float ? 1 : 0
            right.float += named[float] == truth ? 1 : 0
            right.fixed += named[fixed] == truth ? 1 : 0
        }
        self.network = network
        windows = positions.count
        self.equal = equal
        (rightInFloat, rightInFixed) = right
    }

    private static func largest(_ values: [Float]) -> Int { values.indices.reduce(0) { values[$1] > values[$0] ? $1 : $0 } }

    /// What was seen after a layer.
    private struct Place {
        var low: Double = 0, high: Double = 0, rows = 0.0
        var sums: [Double], peaks: [Double]

        init(width: Int) {
            sums = [Double](repeating: 0, count: width)
            peaks = sums
        }

        mutating func take(_ row: [Float]) {
            for (column, value) in row.enumerated() {
                let value = Double(value)
                low = min(low, value)
                high = max(high, value)
                sums[column] += value
                peaks[column] = max(peaks[column], value.magnitude)
            }
            rows += 1
        }

        var calibration: Calibration { Calibration(range: low...high, means: sums.map { $0 / max(rows, 1) }, peaks: peaks) }
    }
}

/// Dense layers in float, one row at a time.
struct FloatRunner {
    private let layers: [FloatLayer]
    private let weights: [Matrix]

    init(_ layers: [FloatLayer]) {
        self.layers = layers
        weights = layers.map { layer in
            var matrix = Matrix(layer.inputs, layer.outputs)
            for output in 0..<layer.outputs {
                for input in 0..<layer.inputs { matrix[input, output] = layer.weights[output * layer.inputs + input] }
            }
            return matrix
        }
    }

    /// What each layer makes of the input: after a ReLU, before a sigmoid.
    func run(_ input: [Float]) -> [[Float]] {
        var rows: [[Float]] = [], visible = input
        for (layer, matrix) in zip(layers, weights) {
            var source = Matrix(1, layer.inputs), sums = Matrix(1, layer.outputs)
            for (column, value) in visible.enumerated() { source[0, column] = value }
            sums.setProduct(source, matrix, rows: 1)
            var row = (0..<layer.outputs).map { sums[0, $0] + layer.bias[$0] }
            if layer.activation == .relu { row = row.map { max($0, 0) } }
            rows.append(row)
            visible = layer.activation == .sigmoid ? row.map { Float(1 / (1 + Exponential.exp(-Double($0)))) } : row
        }
        return rows
    }
}

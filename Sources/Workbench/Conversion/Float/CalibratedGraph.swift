package import NeuralNetwork
package import Support

/// A network of floats with what its tensors hold on real inputs: ready to be quantised.
package struct CalibratedGraph: Sendable {
    package let graph: FloatGraph
    /// Of the input, then of each layer's output.
    package let places: [Calibration]
    /// Of the input without its rarest peaks, so that int8 has finer steps between.
    private let usualInput: Calibration
    /// Of LSTM cells, by layer.
    package let cells: [Int: Calibration]
    /// Of what layers multiply by weights.
    package let moments: [Quantiser.Reading: SecondMoments]

    /// - Parameters:
    ///   - count: how many rows there are.
    ///   - row: one of them, in the unit of the graph's input.
    ///   - begins: whether layers forget, before it, what the rows before it left.
    ///   - each: is given every row's last layer.
    /// - Throws: `.badData` when a row does not fit the input, or makes a number that is not finite.
    package init(
        _ graph: FloatGraph, count: Int, row: (Int) -> [Float], begins: (Int) -> Bool = { _ in true }, each: ([Float]) -> Void = { _ in }
    ) throws(Fault) {
        var moments = Dictionary(uniqueKeysWithValues: Set(graph.readings).map { ($0, SecondMoments(width: $0.width)) })
        let every = max(1, count / 2048) // enough for the moments, which cost most
        var collectors = (0...graph.layers.count).map { RangeCollector(width: graph.shape($0).count) }, inner: [Int: RangeCollector] = [:]
        var inverses = Dictionary(
            uniqueKeysWithValues: graph.layers.indices.filter { InverseRange.isNeeded(graph.layers[$0].operation) }.map {
                ($0 + 1, InverseRange())
            })
        let runner = FloatRunner(graph), quotients = Self.limitedQuotients(graph)
        var state = FloatRunner.State()
        for index in 0..<count {
            let input = row(index)
            guard input.count == graph.input.count else {
                throw Fault(.badData, "calibration row \(index + 1) has \(input.count) numbers; the network takes \(graph.input.count)")
            }
            if begins(index) { state = FloatRunner.State() }
            var (tensors, cells) = runner.run(input, &state)
            for (place, limits) in quotients {
                tensors[place] = tensors[place].map { $0.isNaN ? $0 : Float(min(max(Double($0), limits.lowerBound), limits.upperBound)) }
            }
            guard tensors.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
                throw Fault(
                    .badData, "calibration row \(index + 1) makes numbers that are not finite",
                    remedy: "The network divides by zero there, or takes the logarithm or root of what has none. Leave that out.")
            }
            for (place, values) in tensors.enumerated() { collectors[place].take(values) }
            for place in inverses.keys { inverses[place]?.take(tensors[graph.layers[place - 1].sources[0]], tensors[place]) }
            for (layer, values) in cells { inner[layer, default: RangeCollector(width: 1)].take(values) }
            for reading in moments.keys where index % every == 0 {
                let values = tensors[reading.tensor]
                if let window = reading.window {
                    for patch in window.patches(values, graph.shape(reading.tensor)) { moments[reading]?.take(patch[...]) }
                    continue
                }
                for start in stride(from: 0, to: values.count, by: reading.width) {
                    moments[reading]?.take(values[start..<start + reading.width])
                }
            }
            each(tensors[tensors.count - 1])
        }
        self.graph = graph
        self.moments = moments
        places = collectors.enumerated().map { inverses[$0]?.limited($1.calibration()) ?? $1.calibration() }
        usualInput = collectors[0].calibration(losing: 1e-3)
        cells = inner.mapValues { $0.calibration() }
    }

    // Quotients that nothing reads but within limits: there a number divided by zero is one of these.
    private static func limitedQuotients(_ graph: FloatGraph) -> [Int: ClosedRange<Double>] {
        var found: [Int: ClosedRange<Double>] = [:]
        for (index, layer) in graph.layers.enumerated() where layer.operation == .divide {
            guard let limits = graph.limiter(of: index + 1)?.limits, limits.lowerBound.isFinite, limits.upperBound.isFinite
            else { continue }
            found[index + 1] = limits
        }
        return found
    }

    /// The network in integers, and which of its tensors holds each of the graph's.
    ///
    /// - Throws: `.badData` when a layer cannot be run at this width; `.usage` when the options do not fit.
    package func quantised(
        _ options: QuantiserOptions, _ naming: ImportOptions, golden: [Int16]? = nil, path: String
    ) throws(Fault) -> (network: Network, result: Quantiser.Result) {
        let input = options.activations == .int8 ? usualInput : places[0]
        let seen = [input] + places.dropFirst(), isWider = options.activations == .int16 && options.headroom > 1
        let ranges = isWider ? seen.map { $0.widened(by: options.headroom) } : seen
        let result = try Quantiser.quantise(graph, ranges, cells: cells, moments: moments, options)
        let network = try Network(
            input: result.input, layers: result.layers, output: graph.output, bits: options.bits, options: naming, golden: golden,
            path: path)
        return (network, result)
    }
}

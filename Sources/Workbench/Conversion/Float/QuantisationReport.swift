package import NeuralNetwork
package import Support

/// What quantisation does to each layer, on real inputs.
package struct QuantisationReport: Sendable {
    package struct Place: Sendable {
        /// "input", or the kind of the layer.
        package var name: String
        package var shape: String
        /// Of the floats there.
        package var range: ClosedRange<Double>
        /// Of one step of the integers.
        package var scale: Double
        /// Share of the integers at a limit of their type that the floats lie beyond.
        package var saturated: Double
        /// Power of the floats over power of the difference, dB; nil when they are equal.
        package var signalToNoise: Double?
    }

    package private(set) var places: [Place]

    /// - Parameters:
    ///   - row: of inputs in their own units; those of the report are as the network's input has them.
    /// - Throws: `.badData` when the network cannot be used.
    package init(_ network: Network, _ result: Quantiser.Result, count: Int, row: (Int) -> [Float]) throws(Fault) {
        let runner = FloatRunner(result.graph)
        var compiled = try CompiledNetwork(network)
        var sums = [Sums](repeating: Sums(), count: result.tensors.count)
        for index in 0..<count {
            let input = network.inputScaling.scaled(row(index).map { Double($0) }), floats = runner.run(input.map { Float($0) }).tensors
            compiled.reset()
            let integers = compiled.observe(input.map { network.input.quantised($0) })
            for (place, tensor) in result.tensors.enumerated() {
                if let tensor { sums[place].add(floats[place], integers[tensor], network.tensor(tensor)) }
            }
        }
        places = []
        for (place, tensor) in result.tensors.enumerated() {
            guard let tensor else { continue }
            let name = tensor == 0 ? "input" : network.layers[tensor - 1].kind.rawValue
            places.append(sums[place].place(name, network.tensor(tensor)))
        }
    }

    private struct Sums {
        var low = Double.infinity, high = -Double.infinity, signal = 0.0, noise = 0.0, saturated = 0, count = 0

        mutating func add(_ floats: [Float], _ integers: [Int16], _ tensor: Tensor) {
            for (float, integer) in zip(floats, integers) {
                let exact = Double(float), real = tensor.quantisation.real(integer), half = tensor.quantisation.scale / 2
                low = min(low, exact)
                high = max(high, exact)
                signal += exact * exact
                noise += (exact - real) * (exact - real)
                let isAtLimit = Int(integer) == tensor.type.range.lowerBound || Int(integer) == tensor.type.range.upperBound
                saturated += isAtLimit && (exact - real).magnitude > half ? 1 : 0
            }
            count += floats.count
        }

        func place(_ name: String, _ tensor: Tensor) -> Place {
            let ratio = noise > 0 && signal > 0 ? 10 * Exponential.log(signal / noise) / Exponential.log(10) : nil
            return Place(
                name: name, shape: tensor.shape, range: min(low, high)...max(low, high), scale: tensor.quantisation.scale,
                saturated: Double(saturated) / Double(max(count, 1)), signalToNoise: ratio)
        }
    }
}

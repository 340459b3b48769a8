package import Support

/// Runs a network on numbers rather than on movement.
package struct Predictor: ~Copyable {
    private var compiled: CompiledNetwork
    private let network: Network
    private let result: Tensor

    /// - Throws: `.badData` when the network cannot be used.
    package init(_ network: Network) throws(Fault) {
        compiled = try CompiledNetwork(network)
        self.network = network
        result = network.result
    }

    /// What the integers can hold of number `index` of a row. Nothing is lost of ranks, nor of copies, which are limited on purpose.
    package func range(of index: Int) -> ClosedRange<Double> {
        let scaling = network.inputScaling
        guard !scaling.isOfRanksAlone, !scaling.hasCopies else { return -.infinity ... .infinity }
        let input = network.input, type = input.type.range, half = input.quantisation.scale / 2
        let low = input.quantisation.real(Int16(type.lowerBound)) - half, high = input.quantisation.real(Int16(type.upperBound)) + half
        guard let steps = scaling.steps else { return low...high }
        return steps.original(low, of: index)...steps.original(high, of: index)
    }

    /// Numbers of a row.
    package var inputs: Int { network.columns }
    package var outputs: Int { compiled.outputs }

    /// Forgets what LSTM layers remember.
    package mutating func reset() { compiled.reset() }

    /// Real numbers in the input's unit to what the network gives: probabilities, or the last layer's numbers. Of probabilities that are
    /// the same in Q0.15, that of the class which the last layer's integers decide for is greater, by 2^-20.
    ///
    /// - Throws: `.badData` when their count is wrong or one is not finite.
    package mutating func predict(_ values: [Double]) throws(Fault) -> [Double] {
        try require(values.count, of: inputs)
        guard values.allSatisfy(\.isFinite) else { throw Fault(.badData, "an input is not a finite number") }
        let last = compiled.infer(network.integers(of: values))
        var outputs = compiled.finish(last).map { result.quantisation.real($0) }
        let decided = last.indexOfLargest
        if outputs.indexOfLargest != decided { outputs[decided] += 0x1p-20 }
        return outputs
    }

    /// The quantised integers themselves, as TFLite's interpreter takes and gives them: two for each number of a row where its rank among
    /// thresholds is taken as well.
    ///
    /// - Throws: `.badData` when their count is wrong or one does not fit the input's type.
    package mutating func predict(integers: [Int16]) throws(Fault) -> [Int16] {
        try require(integers.count, of: network.inputs)
        guard integers.allSatisfy({ network.input.type.range.contains(Int($0)) }) else {
            throw Fault(.badData, "an input is no \(network.input.type.rawValue)")
        }
        return compiled.finish(compiled.infer(integers))
    }

    private func require(_ count: Int, of wanted: Int) throws(Fault) {
        guard count == wanted else { throw Fault(.badData, "\(count) numbers were given to a network that takes \(wanted)") }
    }
}

extension Network {
    /// What it gives at its very end.
    var result: Tensor {
        guard output == .softmax else { return last }
        var tensor = last
        tensor.quantisation = .probability(last.type)
        return tensor
    }
}

extension Tensor {
    /// The nearest integer, halves away from zero, limited to the type.
    package func quantised(_ value: Double) -> Int16 {
        let integer = (value / quantisation.scale).rounded(.toNearestOrAwayFromZero) + Double(quantisation.zeroPoint)
        return Int16(max(Double(type.range.lowerBound), min(Double(type.range.upperBound), integer)))
    }
}

extension Quantisation {
    /// Of a probability in TFLite.
    package static func probability(_ type: IntegerType) -> Quantisation {
        type == .int8 ? Quantisation(scale: 1.0 / 256, zeroPoint: -128) : Quantisation(scale: 0x1p-15, zeroPoint: 0)
    }

    package func real(_ integer: Int16) -> Double { Double(Int(integer) - zeroPoint) * scale }
}

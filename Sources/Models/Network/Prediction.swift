public import Support

/// Runs a network on numbers rather than on movement.
public struct Prediction: ~Copyable {
    private var compiled: CompiledNetwork
    private let input: Tensor
    private let result: Tensor

    /// Errors: `.badData` when the network cannot be used.
    public init(_ network: Network) throws(Fault) {
        input = network.input
        result = network.result
        compiled = try CompiledNetwork(network)
    }

    /// What the input's integers can hold.
    var range: ClosedRange<Double> {
        let type = input.type.range, half = input.quantisation.scale / 2
        return input.quantisation.real(Int16(type.lowerBound)) - half...input.quantisation.real(Int16(type.upperBound)) + half
    }

    public var inputs: Int { compiled.inputs }
    public var outputs: Int { compiled.outputs }

    /// Forgets what LSTM layers remember.
    public mutating func reset() { compiled.reset() }

    /// Real numbers in the input's unit to what the network gives: probabilities, or the last layer's numbers.
    ///
    /// Errors: `.badData` when their count is wrong or one is not finite.
    public mutating func predict(_ values: [Double]) throws(Fault) -> [Double] {
        try requireCount(values.count)
        guard values.allSatisfy(\.isFinite) else { throw Fault(.badData, "an input is not a finite number") }
        return try predict(integers: values.map { input.quantised($0) }).map { result.quantisation.real($0) }
    }

    /// The quantised integers themselves, as TFLite's interpreter takes and gives them.
    ///
    /// Errors: `.badData` when their count is wrong or one does not fit the input's type.
    public mutating func predict(integers: [Int16]) throws(Fault) -> [Int16] {
        try requireCount(integers.count)
        guard integers.allSatisfy({ input.type.range.contains(Int($0)) }) else { throw Fault(.badData, "an input is no \(input.type.rawValue)") }
        return compiled.finish(compiled.infer(integers))
    }

    private func requireCount(_ count: Int) throws(Fault) {
        guard count == inputs else { throw Fault(.badData, "\(count) numbers were given to a network that takes \(inputs)") }
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
    public func quantised(_ value: Double) -> Int16 {
        let integer = (value / quantisation.scale).rounded(.toNearestOrAwayFromZero) + Double(quantisation.zeroPoint)
        return Int16(max(Double(type.range.lowerBound), min(Double(type.range.upperBound), integer)))
    }
}

extension Quantisation {
    /// Of a probability in TFLite.
    static func probability(_ type: IntegerType) -> Quantisation {
        type == .int8 ? Quantisation(scale: 1.0 / 256, zeroPoint: -128) : Quantisation(scale: 0x1p-15, zeroPoint: 0)
    }

    public func real(_ integer: Int16) -> Double { Double(Int(integer) - zeroPoint) * scale }
}

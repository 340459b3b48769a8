public import Support

/// Runs a network on numbers rather than on movement.
public struct Prediction: ~Copyable {
    private var compiled: CompiledNetwork
    private let input: Quantisation

    /// Errors: `.badData` when the network cannot be used.
    public init(_ network: Network) throws(Fault) {
        input = network.input
        compiled = try CompiledNetwork(network)
    }

    public var inputs: Int { compiled.inputs }
    public var outputs: Int { compiled.outputs }

    /// Real numbers in the input's unit to probabilities, one for each output.
    ///
    /// Errors: `.badData` when their count is wrong or one is not finite.
    public mutating func predict(_ values: [Double]) throws(Fault) -> [Double] {
        guard values.count == inputs else { throw Fault(.badData, "\(values.count) numbers were given to a network that takes \(inputs)") }
        guard values.allSatisfy(\.isFinite) else { throw Fault(.badData, "an input is not a finite number") }
        return try predict(integers: values.map(input.quantised)).map { (Double($0) + 128) / 256 }
    }

    /// The quantised integers themselves, as TFLite's interpreter takes and gives them: the last have scale 1/256 and zero point -128.
    ///
    /// Errors: `.badData` when their count is wrong.
    public mutating func predict(integers: [Int8]) throws(Fault) -> [Int8] {
        guard integers.count == inputs else { throw Fault(.badData, "\(integers.count) numbers were given to a network that takes \(inputs)") }
        return compiled.finish(compiled.infer(integers))
    }
}

extension Quantisation {
    /// The nearest integer, halves away from zero, limited to int8.
    func quantised(_ value: Double) -> Int8 {
        Int8(max(-128, min(127, (value / scale).rounded(.toNearestOrAwayFromZero) + Double(zeroPoint))))
    }
}

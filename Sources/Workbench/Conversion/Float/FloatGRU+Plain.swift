extension FloatGRU {
    /// tanh(W x + R h + b) as a GRU that keeps nothing and resets nothing.
    static func plain(_ weights: FloatWeights, _ recurrent: FloatWeights) -> FloatGRU {
        let units = weights.outputs, never = [Float](repeating: -32, count: units), always = never.map { -$0 }
        func candidate(_ one: FloatWeights, _ bias: [Float]) -> FloatWeights {
            FloatWeights(
                inputs: one.inputs, outputs: 3 * units,
                values: [Float](repeating: 0, count: 2 * units * one.inputs) + one.values, bias: bias)
        }
        return FloatGRU(
            weights: candidate(weights, never + always + weights.bias),
            recurrent: candidate(recurrent, [Float](repeating: 0, count: 3 * units)), resetAfter: true)
    }
}

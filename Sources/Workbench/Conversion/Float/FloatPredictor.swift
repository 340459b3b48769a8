internal import NeuralNetwork
package import Support

/// Runs a network of floats as its authors did: what a quantised one is an approximation of.
package struct FloatPredictor {
    private let runner: FloatRunner
    private var state = FloatRunner.State()

    package init(_ graph: FloatGraph) { runner = FloatRunner(graph) }

    /// Forgets what recurrent layers remember.
    package mutating func reset() { state = FloatRunner.State() }

    /// Numbers in, numbers or probabilities out.
    ///
    /// - Throws: `.badData` when their count is wrong or one is not finite.
    package mutating func predict(_ values: [Double]) throws(Fault) -> [Double] {
        let wanted = runner.graph.input.count
        guard values.count == wanted else {
            throw Fault(.badData, "\(values.count) numbers were given to a network that takes \(wanted)")
        }
        guard values.allSatisfy(\.isFinite) else { throw Fault(.badData, "an input is not a finite number") }
        let scores = runner.run(values.map { Float($0) }, &state).tensors.last ?? []
        guard runner.graph.output == .softmax else { return scores.map { Double($0) } }
        return FloatRunner.softmax(scores[...])
    }
}

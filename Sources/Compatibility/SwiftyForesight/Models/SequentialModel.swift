public import FoundationEssentials
internal import NeuralNetwork
public import Support
package import Updates

/// A network with LSTM layers: a sequence in, what its last step gives out. Every prediction begins with a state of zero.
public final class SequentialModel: LibraModel, @unchecked Sendable {
    /// See ``FeedforwardModel``; `numInputFeatures` are the numbers of one step.
    public convenience init(
        modelClass: MLModel = MLModel(), numInputFeatures: Int, localFilepath: URL, withManager manager: any ModelSource
    ) {
        self.init(modelClass: modelClass, numInputFeatures: numInputFeatures, localFilepath: localFilepath.path, withManager: manager)
    }

    /// The same with a path.
    public init(modelClass: MLModel = MLModel(), numInputFeatures: Int, localFilepath: String, withManager manager: any ModelSource) {
        super.init(
            numInputFeatures: numInputFeatures, localFilepath: localFilepath, source: manager, isSequence: true,
            names: ["input1", "lstm_1_h_in", "lstm_1_c_in", "output1"])
    }

    /// Names of a Core ML model's input, its two states and its output.
    ///
    /// - Throws: `.usage` unless there are four; `.badData` when the model in use has others.
    public func setFeatureNames(to names: [String]) throws(Fault) { try setNames(names, count: 4) }

    /// As ``setFeatureNames(to:)``, by the original's name.
    @available(*, deprecated, renamed: "setFeatureNames(to:)")
    public func seFeatures(to names: [String]) throws(Fault) { try setFeatureNames(to: names) }

    /// Names of the states that come out, "lstm_1_h_out" and "lstm_1_c_out" in Keras's models. Nothing asks for them: the layers
    /// remember by themselves.
    ///
    /// - Throws: `.usage` unless there are two.
    public func setOutputNames(to names: [String]) throws(Fault) {
        guard names.count == 2 else { throw Fault(.usage, "\(names.count) output names were given; SequentialModel has 2") }
    }

    /// What the last step of a sequence gives.
    ///
    /// Shapes: inputs[numInputFeatures][steps], feature by feature, as SwiftyForesight has them.
    ///
    /// - Throws: `.usage` without a model, without steps or when the features' lengths differ, `.badData` for an input out of range.
    public func predict(forInputs inputs: [[Double]], availableGPU: Bool = false) throws(Fault) -> MultiArray {
        guard inputs.count == numInputFeatures else {
            throw Fault(.usage, "\(inputs.count) features were given; the model takes \(numInputFeatures)")
        }
        let steps = inputs[0].count
        guard steps > 0, inputs.allSatisfy({ $0.count == steps }) else {
            throw Fault(
                .usage,
                "the features have \(inputs.map { "\($0.count)" }.joined(separator: ", ")) steps; all need as many, and at least one")
        }
        return try predict(steps: (0..<steps).map { step in inputs.map { $0[step] } })
    }
}

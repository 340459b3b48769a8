public import FoundationEssentials
internal import NeuralNetwork
public import Support
package import Updates

/// A network without memory: one vector in, one out.
public final class FeedforwardModel: LibraModel, @unchecked Sendable {
    /// - Parameters:
    ///   - modelClass: not used; SwiftyForesight's callers give one.
    ///   - numInputFeatures: numbers of an input; less than 1 is 1.
    ///   - localFilepath: where the fetched model is kept.
    ///   - manager: where it comes from.
    public convenience init(
        modelClass: MLModel = MLModel(), numInputFeatures: Int, localFilepath: URL, withManager manager: any ModelSource
    ) {
        self.init(modelClass: modelClass, numInputFeatures: numInputFeatures, localFilepath: localFilepath.path, withManager: manager)
    }

    /// The same with a path.
    public init(modelClass: MLModel = MLModel(), numInputFeatures: Int, localFilepath: String, withManager manager: any ModelSource) {
        super.init(
            numInputFeatures: numInputFeatures, localFilepath: localFilepath, source: manager, isSequence: false,
            names: ["input1", "output1"])
    }

    /// Names of a Core ML model's input and output; "input1" and "output1" otherwise.
    ///
    /// - Throws: `.usage` unless there are two; `.badData` when the model in use has others.
    public func setFeatureNames(to names: [String]) throws(Fault) { try setNames(names, count: 2) }

    /// As ``setFeatureNames(to:)``, by the original's name.
    @available(*, deprecated, renamed: "setFeatureNames(to:)")
    public func seFeatures(to names: [String]) throws(Fault) { try setFeatureNames(to: names) }

    /// What the network gives for a vector.
    ///
    /// - Parameter availableGPU: not used: a board predicts on its processor.
    /// - Throws: `.usage` without a model or when the count is wrong, `.badData` for an input out of range or not finite.
    public func predict(forInputs inputs: [Double], availableGPU: Bool = false) throws(Fault) -> MultiArray { try predict(steps: [inputs]) }
}

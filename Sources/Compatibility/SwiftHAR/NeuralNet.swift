public import FoundationEssentials
internal import Conversion
internal import Support
internal import Training

/// The three-layer network that Swift-HAR bundled (Swift-AI of April 2017), with its names and its arithmetic.
///
/// As in Swift-HAR: a hidden layer with ReLU, sigmoid outputs, the squared error, one example at a time; the learning rate is kept in
/// files and never used (1 - momentum is).
public final class NeuralNet {
    /// Why a call cannot be answered.
    public enum Error: Swift.Error, Equatable {
        /// A network that there cannot be, or a file that holds none.
        case initialization(String)
        /// Too few or too many weights.
        case weights(String)
        /// Inputs that do not fit.
        case inference(String)
        /// Labels or examples that do not fit.
        case train(String)
    }

    /// Its layers' sizes.
    public let structure: Structure
    /// Its settings; `learningRate` is without effect, as it was.
    public let config: Configuration
    private var network: SwiftHARNetwork
    private var last: [Float]?

    /// - Parameter weights: for each hidden unit its bias and weights, then the same for each output; nil for random ones.
    /// - Throws: ``Error/weights(_:)`` when their number is not `hidden * (inputs + 1) + outputs * (hidden + 1)`.
    public init(structure: Structure, config: Configuration, weights: [Float]? = nil) throws(Error) {
        (self.structure, self.config) = (structure, config)
        network = SwiftHARNetwork(
            inputs: structure.inputs, hidden: structure.hidden, labels: structure.labels, seed: UInt64.random(in: 0 ... .max))
        if let weights { try setWeights(weights) }
    }

    /// The weights one after the other.
    public func allWeights() -> [Float] { network.weights }

    /// Replaces the weights; what momentum remembers begins anew.
    ///
    /// - Throws: ``Error/weights(_:)`` when there are too few or too many.
    public func setWeights(_ weights: [Float]) throws(Error) {
        do throws(Fault) {
            network = try SwiftHARNetwork(inputs: structure.inputs, hidden: structure.hidden, labels: structure.labels, weights: weights)
        } catch {
            throw Error.weights(error.message)
        }
    }

    /// What the network makes of one set of inputs.
    ///
    /// - Returns: a number from 0 to 1 for each output.
    /// - Throws: ``Error/inference(_:)`` when the number of inputs is another.
    @discardableResult
    public func infer(_ inputs: [Float]) throws(Error) -> [Float] {
        guard inputs.count == structure.inputs else {
            throw Error.inference("there are \(inputs.count) inputs, and the network has \(structure.inputs)")
        }
        last = inputs
        return network.infer(inputs)
    }

    /// One step that moves the outputs of the last ``infer(_:)`` towards `labels`.
    ///
    /// - Throws: ``Error/train(_:)`` when the number of labels is another, or nothing was inferred before.
    public func backpropagate(_ labels: [Float]) throws(Error) {
        guard labels.count == structure.outputs else {
            throw Error.train("there are \(labels.count) labels, and the network has \(structure.outputs) outputs")
        }
        guard let last else { throw Error.train("there was no inference before") }
        network.learn(last, target: labels)
    }

    /// Trains example by example in the order given, epoch after epoch, until the error on the validation set is below the threshold.
    ///
    /// - Parameter maxEpochs: Swift-HAR ended after 31; the library it came with could go on for ever.
    /// - Returns: the weights.
    /// - Throws: ``Error/train(_:)`` for a threshold that is not above 0, or examples that do not fit.
    @discardableResult
    public func train(_ data: Dataset, errorThreshold: Float, maxEpochs: Int = 31) throws(Error) -> [Float] {
        guard errorThreshold > 0 else { throw Error.train("the error threshold has to be above 0") }
        try data.check(structure)
        let validation = zip(data.validationInputs, data.validationLabels).map { (input: $0, target: $1) }
        for _ in 0..<max(0, maxEpochs) {
            for (input, target) in zip(data.trainInputs, data.trainLabels) { network.learn(input, target: target) }
            if network.cost(validation) < errorThreshold { break }
        }
        return allWeights()
    }

    /// A network out of a file that ``save(to:)`` or Swift-HAR wrote.
    ///
    /// - Throws: ``Error/initialization(_:)`` for what is no such file.
    public convenience init(url: URL) throws(Error) {
        let file: SwiftAIFile
        do throws(Fault) {
            file = try SwiftAIFile(try Files.read(url.path, limit: SwiftAIFile.sizeLimit), path: url.path)
        } catch {
            throw Error.initialization(error.message)
        }
        try self.init(
            structure: try Structure(inputs: file.inputs, hidden: file.hidden, outputs: file.outputs),
            config: try Configuration(learningRate: file.learningRate, momentum: file.momentum), weights: file.weights)
    }

    /// Writes the network as Swift-HAR's JSON, which `gaitway model import` reads too.
    ///
    /// - Throws: ``Error/initialization(_:)`` when it cannot be written, or a weight is not finite.
    public func save(to url: URL) throws(Error) {
        let file = SwiftAIFile(
            inputs: structure.inputs, hidden: structure.hidden, outputs: structure.outputs, momentum: config.momentum,
            learningRate: config.learningRate, weights: network.weights, labels: nil)
        guard let bytes = file.bytes else { throw Error.initialization("the network has weights that are not finite") }
        do throws(Fault) { try Files.write(bytes, to: url.path) } catch { throw Error.initialization(error.message) }
    }
}

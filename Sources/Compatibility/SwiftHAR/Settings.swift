extension NeuralNet {
    /// The sizes of the three layers.
    public struct Structure: Sendable, Equatable {
        /// Numbers of a window: 300 in Swift-HAR.
        public let inputs: Int
        /// Units of the hidden layer: 200 in Swift-HAR.
        public let hidden: Int
        /// Activities.
        public let outputs: Int

        /// - Throws: ``NeuralNet/Error/initialization(_:)`` for layers that are empty, or larger than 4,096 units.
        public init(inputs: Int, hidden: Int, outputs: Int) throws(NeuralNet.Error) {
            guard [inputs, hidden, outputs].allSatisfy({ (1...4096).contains($0) }) else {
                throw NeuralNet.Error.initialization("layers of \(inputs), \(hidden) and \(outputs) units cannot be: 1 to 4096 each")
            }
            (self.inputs, self.hidden, self.outputs) = (inputs, hidden, outputs)
        }

        var labels: [String] { (0..<outputs).map { "\($0)" } }
    }

    /// What a layer does with its sums.
    public enum ActivationFunction: String, Sendable {
        /// Nothing below zero.
        case rectifiedLinear = "ReLU"
        /// 1 / (1 + exp(-x))
        case sigmoid
    }

    /// What training makes small.
    public enum CostFunction: String, Sendable {
        /// Half the sum of the squared errors.
        case meanSquared
    }

    /// The settings of Swift-HAR's network.
    public struct Configuration: Sendable, Equatable {
        /// Of the hidden layer.
        public let hiddenActivation: ActivationFunction
        /// Of the outputs.
        public let outputActivation: ActivationFunction
        /// What training makes small.
        public let cost: CostFunction
        /// Kept in files; training does not use it, as in Swift-HAR.
        public let learningRate: Float
        /// Kept in files; training uses Swift-HAR's 0.2.
        public let momentum: Float

        /// - Throws: ``NeuralNet/Error/initialization(_:)`` for other activations than Swift-HAR's, or numbers below 0.
        public init(
            hiddenActivation: ActivationFunction = .rectifiedLinear, outputActivation: ActivationFunction = .sigmoid,
            cost: CostFunction = .meanSquared, learningRate: Float = 0.4, momentum: Float = 0.2
        ) throws(NeuralNet.Error) {
            guard hiddenActivation == .rectifiedLinear, outputActivation == .sigmoid else {
                throw NeuralNet.Error.initialization("Swift-HAR's network has ReLU within and sigmoid outputs")
            }
            guard learningRate >= 0, momentum >= 0 else {
                throw NeuralNet.Error.initialization("learning rate and momentum cannot be below 0")
            }
            (self.hiddenActivation, self.outputActivation, self.cost) = (hiddenActivation, outputActivation, cost)
            (self.learningRate, self.momentum) = (learningRate, momentum)
        }
    }

    /// Windows and what they are: those to learn from and those to measure with.
    public struct Dataset: Sendable {
        /// A window each.
        public let trainInputs: [[Float]]
        /// For each of these a number for each output: 1 for what it is, 0 for the others.
        public let trainLabels: [[Float]]
        /// A window each.
        public let validationInputs: [[Float]]
        /// As the labels to learn from.
        public let validationLabels: [[Float]]

        /// - Throws: ``NeuralNet/Error/train(_:)`` for windows without labels.
        public init(
            trainInputs: [[Float]], trainLabels: [[Float]], validationInputs: [[Float]], validationLabels: [[Float]]
        ) throws(NeuralNet.Error) {
            guard trainInputs.count == trainLabels.count, validationInputs.count == validationLabels.count else {
                throw NeuralNet.Error.train("there has to be one set of labels for each set of inputs")
            }
            (self.trainInputs, self.trainLabels) = (trainInputs, trainLabels)
            (self.validationInputs, self.validationLabels) = (validationInputs, validationLabels)
        }

        func check(_ structure: Structure) throws(NeuralNet.Error) {
            guard (trainInputs + validationInputs).allSatisfy({ $0.count == structure.inputs }),
                (trainLabels + validationLabels).allSatisfy({ $0.count == structure.outputs })
            else {
                throw NeuralNet.Error.train("each example has \(structure.inputs) inputs and \(structure.outputs) labels")
            }
        }
    }
}

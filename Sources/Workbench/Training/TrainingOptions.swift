package import NeuralNetwork

/// How to train.
package struct TrainingOptions: Sendable {
    /// Units of the hidden layer.
    package var hidden = 240
    /// k of the weights.
    package var bits = 8
    /// What of a window the network takes: samples, features or both.
    package var input = NetworkInput.raw
    /// Whether every epoch sees moved, tilted and noisier windows.
    package var augment = false
    package var seed: UInt64 = 1
    /// Passes over the windows; nil: 60 over several people's, at least 30 and 1,500 steps over one's own.
    package var epochs: Int?
    package var batch = 64
    /// Samples between two windows that are learnt from; nil: 64 of several people's, 10 of one's own.
    package var stride: Int?
    /// Adam's rate at the start; it falls to zero along a cosine.
    package var rate: Float = 3e-3
    /// Decoupled weight decay.
    package var decay: Float = 0.05
    /// Share of each target that is spread over all classes.
    package var smoothing: Float = 0.1

    package init() {}
}

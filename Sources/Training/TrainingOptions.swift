public import Models

/// How to train.
public struct TrainingOptions: Sendable {
    /// Units of the hidden layer.
    public var hidden = 240
    /// k of the weights.
    public var bits = 8
    /// What of a window the network takes: samples, features or both.
    public var input = NetworkInput.raw
    /// Whether every epoch sees moved, tilted and noisier windows.
    public var augment = false
    public var seed: UInt64 = 1
    /// Passes over the windows; nil: 60 over several people's, at least 30 and 1,500 steps over one's own.
    public var epochs: Int?
    public var batch = 64
    /// Samples between two windows that are learnt from; nil: 64 of several people's, 10 of one's own.
    public var stride: Int?
    /// Adam's rate at the start; it falls to zero along a cosine.
    public var rate: Float = 3e-3
    /// Decoupled weight decay.
    public var decay: Float = 0.05
    /// Share of each target that is spread over all classes.
    public var smoothing: Float = 0.1

    public init() {}
}

package import NeuralNetwork

/// What a file from elsewhere does not say.
package struct ImportOptions: Sendable {
    package var input: NetworkInput
    /// One for each output; "0", "1", ... when nil.
    package var labels: [String]?
    /// Samples between two windows, for a network on raw windows.
    package var hop: Int
    package var state: NetworkState
    /// Samples of a window, where the number of inputs does not tell it.
    package var window: Int
    /// Which of an ONNX file's tensors has the classes; nil: its only output.
    package var output: String?

    package init(input: NetworkInput = .raw, labels: [String]? = nil, hop: Int = 64, state: NetworkState = .kept, window: Int = 128) {
        self.input = input
        self.labels = labels
        self.hop = hop
        self.state = state
        self.window = window
    }
}

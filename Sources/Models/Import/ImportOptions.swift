/// What a file from elsewhere does not say.
public struct ImportOptions: Sendable {
    public var input: NetworkInput
    /// One for each output; "0", "1", ... when nil.
    public var labels: [String]?
    /// Samples between two windows, for a network on raw windows.
    public var hop: Int
    public var state: NetworkState
    /// Samples of a window, where the number of inputs does not tell it.
    public var window: Int

    public init(input: NetworkInput = .raw, labels: [String]? = nil, hop: Int = 64, state: NetworkState = .kept, window: Int = 128) {
        self.input = input
        self.labels = labels
        self.hop = hop
        self.state = state
        self.window = window
    }
}

/// What a file from elsewhere does not say.
public struct ImportOptions: Sendable {
    public var input: NetworkInput
    /// One for each output; "0", "1", ... when nil.
    public var labels: [String]?
    /// Samples between two windows, for a network on raw windows.
    public var hop: Int
    public var state: NetworkState

    public init(input: NetworkInput = .raw, labels: [String]? = nil, hop: Int = 64, state: NetworkState = .kept) {
        self.input = input
        self.labels = labels
        self.hop = hop
        self.state = state
    }
}

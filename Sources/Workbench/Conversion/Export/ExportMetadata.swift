internal import NeuralNetwork

/// What a file for other programs says of its network beside the graph.
enum ExportMetadata {
    static func entries(_ network: Network) -> [(String, String)] {
        [
            ("labels", network.labels.joined(separator: ",")), ("input", network.inputKind.rawValue), ("window", "\(network.window)"),
            ("hop", "\(network.hop)"), ("state", network.state.rawValue), ("rate_hz", "50"), ("version", "\(network.version)"),
        ]
    }
}

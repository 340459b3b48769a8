package import NeuralNetwork
package import Recognition
package import Settings

extension Smoothing {
    /// What the settings say. Where they do not say how many windows must agree, a worn network's every window counts: it knows the windows
    /// before from its own memory.
    package init(_ settings: Settings, for network: Network) {
        let isSet = settings.entry(\.agreement).map { $0.origin != .fallback } ?? false
        self.init(
            agreement: !isSet && network.inputKind == .worn ? 1 : settings.agreement,
            threshold: Int16(clamping: Int(settings.threshold * 32768)))
    }
}

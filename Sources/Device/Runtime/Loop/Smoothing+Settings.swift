package import NeuralNetwork
package import Recognition
package import Settings

extension Smoothing {
    /// What the settings say; where they do not say how many windows must agree, what suits the network.
    package init(_ settings: Settings, for network: Network) {
        let isSet = settings.entry(\.agreement).map { $0.origin != .fallback } ?? false
        self.init(
            agreement: isSet ? settings.agreement : Smoothing(for: network).agreement,
            threshold: Int16(clamping: Int(settings.threshold * 32768)))
    }
}

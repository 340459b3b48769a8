package import NeuralNetwork
package import Sensing
package import Support

/// What a network takes of one window after the other, whatever its input is.
package struct WindowRows: ~Copyable {
    private let kind: NetworkInput
    // Written out: "?" would begin as nil, which Swift 6.2 cannot undo in an initialiser that throws.
    private var wearing: Optional<WearingRows>

    /// - Parameters:
    ///   - kind: not ``NetworkInput/features``.
    ///   - network: whose input is ``NetworkInput/worn``, for that kind.
    /// - Throws: `.badData` where the network is another one.
    package init(_ kind: NetworkInput, _ network: Network?) throws(Fault) {
        let wearing = try network.flatMap { network throws(Fault) in kind == .worn ? try WearingRows(network) : nil }
        self.wearing = wearing
        self.kind = kind
    }

    /// Goes by what was configured until walking shows how the sensor is worn.
    package mutating func use(_ configured: ConfiguredWearing) { wearing?.use(configured) }

    /// - Parameter window: filtered samples, Q3.12 g, x, y, z interleaved.
    /// - Returns: Q3.12; nil while it is not known how the sensor is worn.
    package mutating func row(_ window: [Int16]) -> [Int16]? {
        guard kind == .worn else { return WindowInput.row(window, kind) }
        let row = wearing?.row(window)
        switch wearing {
        case .some(let wearing): return wearing.orientation == .unknown ? nil : row
        case .none: return nil
        }
    }
}

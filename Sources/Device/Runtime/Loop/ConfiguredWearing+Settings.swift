package import NeuralNetwork
package import Sensing
package import Settings
package import Support

extension ConfiguredWearing {
    /// What the settings say.
    ///
    /// - Throws: `.configuration` when up and forward are no two axes, or the network does not know the placement.
    package init(_ settings: Settings, for network: Network) throws(Fault) {
        if let forward = settings.forward, settings.up.map({ $0.number.magnitude == forward.number.magnitude }) ?? true {
            throw Fault(
                .configuration, "forward is \(forward.rawValue), and up is \(settings.up?.rawValue ?? "not set")",
                remedy: "Set two different axes, or up alone.")
        }
        let placement = settings.placement == "auto" ? nil : settings.placement
        if let placement, let places = network.wearing?.placement.labels, !places.contains(placement) {
            throw Fault(
                .configuration, "the model knows no placement \"\(placement)\"",
                remedy: "It knows \(places.joined(separator: ", ")), and finds it itself with auto.")
        }
        self.init(up: settings.up, forward: settings.forward, placement: placement)
    }
}

package import Sensing
package import Settings
package import Support

extension ConfiguredWearing {
    /// What the settings say.
    ///
    /// - Parameter places: of the body, that the model knows.
    /// - Throws: `.configuration` when up and forward are no two axes, or the model does not know the placement.
    package init(_ settings: Settings, places: [String]) throws(Fault) {
        let up = settings.up.flatMap { Axis(rawValue: $0.rawValue) }, forward = settings.forward.flatMap { Axis(rawValue: $0.rawValue) }
        if let forward, up.map({ $0.number.magnitude == forward.number.magnitude }) ?? true {
            throw Fault(
                .configuration, "forward is \(forward.rawValue), and up is \(up?.rawValue ?? "not set")",
                remedy: "Set two different axes, or up alone.")
        }
        let placement = settings.placement == "auto" ? nil : settings.placement
        if let placement, !places.isEmpty, !places.contains(placement) {
            throw Fault(
                .configuration, "the model knows no placement \"\(placement)\"",
                remedy: "It knows \(places.joined(separator: ", ")), and finds it itself with auto.")
        }
        self.init(up: up, forward: forward, placement: placement)
    }
}

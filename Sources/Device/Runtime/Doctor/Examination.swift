package import NeuralNetwork
internal import Sensing
package import Settings
package import Support

/// Looks at all that the loop needs, changes nothing and captures nothing.
package enum Examination {
    /// - Parameters:
    ///   - settings: as they could be read.
    ///   - model: loads the network that a run would use.
    package static func examine(settings: Result<Settings, Fault>, model: (Settings) throws(Fault) -> Network) -> [Finding] {
        var findings: [Finding] = []
        var found: Settings?
        switch settings {
        case .success(let settings):
            found = settings
            findings.append(.ok("configuration", origins(settings)))
        case .failure(let fault): findings.append(.problem("configuration", fault))
        }
        findings += sensor(found)
        if let found { findings += network(found) { () throws(Fault) in try model(found) } }
        findings += machine()
        if let found { findings.append(uploads(found)) }
        return findings
    }

    private static func origins(_ settings: Settings) -> String {
        let set = Settings.table.compactMap { setting -> String? in
            guard let entry = settings.entry(setting), entry.origin != .fallback else { return nil }
            return "\(setting.name) from \(entry.origin)"
        }
        return set.isEmpty ? "nothing is set: defaults" : set.joined(separator: ", ")
    }

    private static func network(_ settings: Settings, _ load: () throws(Fault) -> Network) -> [Finding] {
        let network: Network
        do throws(Fault) { network = try load() } catch { return [.problem("model", error)] }
        let found = Finding.ok(
            "model",
            """
            \(network.labels.count) activities, \(network.layers.count) layers, version \(network.version), checked; kernel \
            \(CompiledNetwork.kernels.last ?? "reference")
            """
        )
        // Which places of the body there are is the model's to say.
        do throws(Fault) { _ = try ConfiguredWearing(settings, for: network) } catch { return [found, .problem("configuration", error)] }
        return [found]
    }
}

public import Models
public import Support

/// Looks at all that the loop needs, changes nothing and captures nothing.
public enum Doctor {
    /// - Parameters:
    ///   - configuration: as it could be read.
    ///   - model: loads the network that a run would use.
    public static func examine(configuration: Result<Configuration, Fault>, model: (Configuration) throws(Fault) -> Network) -> [Finding] {
        var findings: [Finding] = []
        var settings: Configuration?
        switch configuration {
        case .success(let found):
            settings = found
            findings.append(.ok("configuration", origins(found)))
        case .failure(let fault): findings.append(.problem("configuration", fault))
        }
        findings += sensor(settings)
        if let settings { findings.append(network { () throws(Fault) in try model(settings) }) }
        return findings + machine()
    }

    private static func origins(_ configuration: Configuration) -> String {
        let set = Setting.all.compactMap { setting -> String? in
            guard let value = configuration[setting], value.origin != .fallback else { return nil }
            return "\(setting.key) from \(value.origin)"
        }
        return set.isEmpty ? "nothing is set: defaults" : set.joined(separator: ", ")
    }

    private static func network(_ load: () throws(Fault) -> Network) -> Finding {
        do throws(Fault) {
            let network = try load()
            return .ok("model", "\(network.labels.count) activities, \(network.layers.count) layers, version \(network.version), checked; kernel \(CompiledNetwork.kernels.last ?? "reference")")
        } catch {
            return .problem("model", error)
        }
    }
}

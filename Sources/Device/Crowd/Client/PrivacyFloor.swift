package import CrowdLearning
package import Settings
package import Support

/// What a board's owner asks of every crowd before anything leaves, whatever its server publishes: a server that wants samples without
/// noise, one by one, would get the samples themselves.
package struct PrivacyFloor: Sendable, Equatable {
    /// The least scale of noise; 0 lets gradients go without any.
    package var noise: Double
    /// The fewest samples of a gradient.
    package var batch: Int
    /// Whether gradients of networks with hidden layers, and weights after local steps, may go, about which nothing can be promised.
    package var allowsHiddenLayers: Bool
    /// Epsilon that may be given away in all and in a day; nil for any.
    package var limit: Double?, perDay: Double?

    /// - Parameter limit: a command's own; nil for that of the settings.
    package init(_ settings: SettingValues.Crowd, limit: Double? = nil) {
        (noise, batch, allowsHiddenLayers) = (settings.minNoise, settings.minBatch, settings.allowHiddenLayers)
        let isUnbounded = noise == 0 || allowsHiddenLayers
        self.limit = limit ?? settings.epsilonLimit ?? (isUnbounded ? nil : Self.usualLimit)
        perDay = settings.epsilonPerDay
    }

    private static let usualLimit = 100.0

    /// - Throws: `.permission` naming the setting that would have to allow it.
    package func check(_ task: CrowdTask) throws(Fault) {
        let parameters = task.parameters
        func refused(_ what: String, _ setting: String) -> Fault {
            Fault(.permission, "nothing is sent: the crowd's server asks for \(what)", remedy: "Its owner may allow it: \(setting)")
        }
        let scale = parameters.noise == "NoNoise" ? 0 : parameters.noiseScale
        guard scale >= noise else {
            throw refused(
                scale == 0 ? "gradients without noise" : "noise of scale \(scale), and \(noise) is the least", "crowd.min_noise = \(scale)")
        }
        guard parameters.batch >= batch else {
            throw refused(
                "the gradient of \(parameters.batch) samples, and \(batch) are the least", "crowd.min_batch = \(parameters.batch)")
        }
        guard allowsHiddenLayers || (task.model.loss != .network && parameters.localUpdates == 0) else {
            throw refused("what nobody can bound (hidden layers, or weights after local steps)", "crowd.allow_hidden_layers = true")
        }
    }
}

package import Fleet
internal import ModelStore
package import Settings
package import Support

/// What the settings say of new models.
package struct UpdatePlan: Sendable {
    let directory: String
    let checks: ModelChecks
    let trial: ModelTrial.Settings
    /// Seconds.
    let interval: Int, retry: Int
    let quiet: QuietHours?
    let allowsUnsigned: Bool
    /// Whether somebody is asked before a model is fetched.
    let asks: Bool
    let source: (any UpdateSource)?
    let model: String

    /// nil where nothing brings new models, and nothing ever did.
    ///
    /// - Parameter client: the way to the hub, where the board is registered.
    /// - Throws: `.configuration`, `.usage`, those of reading the trusted key.
    package init?(_ settings: Settings, hub client: FleetClient?) throws(Fault) {
        let updates = settings.updates, directory = StoreFolder.path
        guard (updates.enabled && (client != nil || updates.source != nil)) || Files.isDirectory(directory) else { return nil }
        let source: (any UpdateSource)?
        if !updates.enabled {
            source = nil
        } else if let address = updates.source {
            source = try Self.source(address, settings)
        } else {
            source = client.map { HubUpdates($0, model: updates.model, timeout: Double(updates.timeout)) }
        }
        self.init(updates, directory: directory, checks: try ModelChecks(settings), source: source)
    }

    private static func source(_ address: String, _ settings: Settings) throws(Fault) -> any UpdateSource {
        if let hawkBit = try HawkBitUpdates(address, settings) { return hawkBit }
        return try AddressUpdates(address, settings)
    }

    init(_ updates: SettingValues.Updates, directory: String, checks: ModelChecks, source: (any UpdateSource)?) {
        (self.directory, self.checks, self.source, model) = (directory, checks, source, updates.model)
        (interval, retry, quiet, allowsUnsigned) = (updates.interval, updates.retry, updates.quietHours, updates.allowUnsigned)
        asks = updates.ask
        trial = ModelTrial.Settings(shadow: updates.shadowWindows, probation: updates.probationWindows)
    }
}

import Agent
import Fleet
import Models
import Support
import Upload

/// What the configuration says of new models.
struct UpdatePlan {
    let directory: String
    let checks: ModelChecks
    let trial: ModelTrial.Settings
    /// Seconds.
    let interval: Int, retry: Int
    let quiet: QuietHours?
    let allowsUnsigned: Bool
    let source: (any UpdateSource)?
    let model: String

    /// nil where nothing brings new models, and nothing ever did.
    ///
    /// - Parameter client: the way to the hub, where the board is registered.
    /// Errors: `.configuration`, `.usage`, those of reading the trusted key.
    init?(_ configuration: Configuration, hub client: FleetClient?) throws(Fault) {
        directory = StoreFile.directory
        let address = configuration[.updatesSource]?.text, isEnabled = configuration[.updatesEnabled]?.text == "true"
        guard (isEnabled && (client != nil || address != nil)) || Files.isDirectory(directory) else { return nil }
        func number(_ setting: Setting) -> Int { configuration[setting].flatMap { Int($0.text) } ?? 0 }
        checks = try ModelChecks(configuration)
        var trial = ModelTrial.Settings()
        (trial.shadow, trial.probation) = (number(.updatesShadow), number(.updatesProbation))
        self.trial = trial
        (interval, retry) = (number(.updatesInterval), number(.updatesRetry))
        quiet = try configuration[.updatesQuietHours].map { value throws(Fault) in try QuietHours(value.text) }
        allowsUnsigned = configuration[.updatesUnsigned]?.text == "true"
        model = configuration[.updatesModel]?.text ?? "activity"
        if !isEnabled {
            source = nil
        } else if let address {
            source = try AddressUpdates(address, configuration)
        } else {
            let model = model, timeout = Double(number(.updatesTimeout))
            source = client.map { HubUpdates(client: $0, model: model, timeout: timeout) }
        }
    }
}

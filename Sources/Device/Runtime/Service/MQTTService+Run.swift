package import Doors
package import Fleet
package import Ledger
package import Logging
internal import ModelStore
internal import NeuralNetwork
package import Settings
package import Support
package import Updates
internal import Upload

extension MQTTService {
    /// The board at the configured broker; nil where none is.
    ///
    /// - Parameters:
    ///   - client: the board at a hub, whose name it then has here too.
    ///   - version: of the program.
    /// - Throws: those of the settings.
    package static func make(
        _ settings: Settings, client: FleetClient?, status: RunStatus, falls: FallWatch, updates: UpdateService?, ledger: PrivacyLedger,
        version: String, log: Logger
    ) throws(Fault) -> MQTTService? {
        guard let broker = try MQTTSettings(settings) else { return nil }
        let device = client?.device ?? DeviceDescription(), labels = settings.upload.directory
        return MQTTService(broker, name: broker.name ?? device.deviceId, version: version, ledger: ledger, log: log) {
            let now = status.now, device = client?.device ?? DeviceDescription()
            var state = BoardState()
            (state.activity, state.steps, state.cadence) = (now.activity, now.steps, now.cadence)
            state.confidence = now.activity.map { _ in Int(now.confidence) * 100 / 32768 }
            (state.fall, state.samplesCome, state.rate) = (falls.latest?.state, now.activity != nil, now.rate.map { Double($0) / 1000 })
            (state.temperature, state.battery) = (device.temperature, device.batteryLevel)
            (state.modelVersion, state.labels, state.label) = (now.model, now.labels, UserLabel.current(in: labels)?.label)
            state.update = updates?.atHome
            return state
        } command: { command in
            do throws(Fault) {
                switch command {
                case .cancelAlarm: try falls.cancel()
                case .install: try updates?.accept()
                case .label(nil): try UserLabel.clear(in: labels)
                case .label(let label?):
                    try Files.makeDirectory(labels)
                    try UserLabel(label: label, until: SystemTime.wallSeconds + 600).set(in: labels)
                }
            } catch {
                log.info("what the broker asked for was not done: \(error.message)")
            }
        }
    }
}

extension UpdateService {
    /// As Home Assistant shows it.
    fileprivate var atHome: ModelUpdateState {
        let status = store.status, installed = "\(exchange.proved.version)", offer = offered
        let latest = status.candidate.map { "\($0)" } ?? offer.map { $0.version.map { "\($0)" } ?? $0.name } ?? installed
        let refused = status.refused.first.map { "refused: \(StoreStatus.refusal($0.version, $0.reason))" }
        let note = deferral.map { "waits: \($0.reason)" } ?? refused
        return ModelUpdateState(installed: installed, latest: latest, progress: exchange.progress.map { Int(100 * $0) }, note: note ?? "")
    }
}

import Agent
import Fleet
import Logging
import Models
import Recognition
import Sensing
import Upload

/// What runs beside the loop and must never hold it up: recording, uploads, heartbeats; each where it is set up.
final class Companions {
    private let uploads: UploadService?
    private let fleet: FleetService?
    private var model: RecordedModel

    /// - Parameter waits: whether windows come as fast as they are taken.
    init(_ plan: UploadPlan?, source: any SampleSource, waits: Bool, network: Network, log: Logger) {
        uploads = plan.map { UploadService($0, isLive: source.isLive, waits: waits, log: log) }
        fleet = FleetService(spool: plan?.directory, log: log)
        model = RecordedModel(network)
        use(network)
    }

    /// The loop goes on with another network.
    func use(_ network: Network) {
        model = RecordedModel(network)
        fleet?.note { $0.modelVersion = "\(network.version)" }
    }

    /// - Parameter rate: as measured, mHz.
    func saw(_ activity: Activity, rate: Int?) {
        uploads?.take(activity, by: model)
        fleet?.note { beat in (beat.activity, beat.samplingRate) = (activity.smoothed, rate.map { Double($0) / 1000 }) }
    }

    func stop() {
        uploads?.stop()
        fleet?.stop()
    }
}

extension RecordedModel {
    fileprivate init(_ network: Network) { self.init(labels: network.labels, version: network.version, window: network.window, hop: network.hop) }
}

package import HubProtocol
internal import ModelStore

extension UpdateService {
    /// What became of the versions that this board had, for heartbeats.
    package var report: ModelReport {
        var report = ModelReport(store.status, of: model)
        if let deferral, let version = deferral.offer.version {
            report.versions.insert(.init(version: version, state: .deferred, reason: deferral.reason), at: 0)
        }
        return report
    }
}

extension ModelReport {
    init(_ status: StoreStatus, of model: String) {
        var versions: [Version] = []
        if let candidate = status.candidate, let stage = status.stage {
            versions.append(.init(version: candidate, state: stage == .shadow ? .shadow : .probation))
        }
        if let current = status.current { versions.append(.init(version: current, state: .committed)) }
        versions += status.refused.map {
            .init(version: $0.version, state: $0.wasRunning ? .rolledBack : .refused, reason: $0.reason)
        }
        self.init(model: model, highest: status.highest, versions: versions)
    }
}

package import HubProtocol
internal import ModelStore

extension UpdateService {
    /// What became of the versions that this board had, for heartbeats.
    package var report: ModelReport { ModelReport(store.status, of: model) }
}

extension ModelReport {
    init(_ status: StoreStatus, of model: String) {
        var versions: [Version] = []
        if let candidate = status.candidate, let stage = status.stage {
            versions.append(.init(version: candidate, state: stage == .shadow ? .shadow : .probation))
        }
        if let current = status.current { versions.append(.init(version: current, state: .committed)) }
        versions += status.refused.filter { $0.version != status.current }.map {
            .init(version: $0.version, state: $0.wasRunning ? .rolledBack : .refused, reason: $0.reason)
        }
        self.init(model: model, highest: status.highest, versions: versions)
    }
}

internal import CrowdLearning
internal import HubStore
internal import Logging
internal import Support
internal import Synchronization

/// Measures the crowd's weights beside everything else: always the latest, one at a time.
final class CrowdJudge: Sendable {
    private struct State {
        var latest: CrowdOptimiser?
        var isBusy = false
    }

    private let test: CrowdData
    private let model: CrowdModel
    private let store: HubStore
    private let log: Logger
    private let state = Mutex(State())

    init(_ test: CrowdData, _ model: CrowdModel, _ store: HubStore, log: Logger) {
        (self.test, self.model, self.store, self.log) = (test, model, store, log)
    }

    func look(at server: CrowdOptimiser) {
        let begins = state.withLock { state in
            state.latest = server
            defer { state.isBusy = true }
            return !state.isBusy
        }
        guard begins else { return }
        Task.detached(priority: .background) { [self] in
            while let server = next() {
                let error = model.error(server.weights, on: test)
                do throws(Fault) {
                    try await store.add(CrowdError(iteration: server.iteration, taken: server.taken, error: error, at: SystemTime.wallTime))
                } catch { log.error("\(error)") }
            }
        }
    }

    private func next() -> CrowdOptimiser? {
        state.withLock { state in
            defer { state.latest = nil }
            state.isBusy = state.latest != nil
            return state.latest
        }
    }
}

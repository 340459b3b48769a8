import Agent
import Fleet
import Logging
import Models
import Support

/// The model that `run` begins with, and what changes it later.
struct BoardModels {
    let network: Network
    /// nil where nothing brings new models.
    let updates: UpdateService?

    /// - Parameter news: hears when there is something to tell of models.
    /// Errors: those of loading the model; with a store the configuration's is the one to fall back on.
    init(_ options: ModelOptions, _ configuration: Configuration, hub: FleetClient?, log: Logger, news: @escaping @Sendable () -> Void) throws(Fault) {
        let base = try options.load(configuration)
        // A model that is named on the command line is the one that runs.
        guard options.model == nil, let plan = try UpdatePlan(configuration, hub: hub), let store = Self.open(plan, base: base, log) else {
            (network, updates) = (base, nil)
            return
        }
        do throws(Fault) {
            let (running, candidate) = try store.start(base: base) { log.warning("\($0)") }
            let service = UpdateService(plan, store: store, base: base, running: running, candidate: candidate, log: log, news: news)
            (network, updates) = (running, service)
        } catch {
            log.error("new models are not taken: \(error)")
            (network, updates) = (base, nil)
        }
    }

    private static func open(_ plan: UpdatePlan, base: Network, _ log: Logger) -> ModelStore? {
        do throws(Fault) {
            let store = try ModelStore(plan.directory, checks: plan.checks, base: base.version)
            // Held until the process ends.
            guard try FileLock(plan.directory + "/lock") != nil else {
                log.notice("another gaitway takes care of new models")
                return nil
            }
            return store
        } catch {
            log.error("new models are not taken: \(error)")
            return nil
        }
    }
}

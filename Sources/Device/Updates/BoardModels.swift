package import Fleet
package import Logging
internal import ModelStore
package import NeuralNetwork
package import Settings
package import Support

/// The model that a run begins with, and what changes it later.
package struct BoardModels {
    package let network: Network
    /// nil where nothing brings new models.
    package let updates: UpdateService?

    /// - Parameters:
    ///   - base: the model of the settings, to fall back on.
    ///   - onChange: called when there is something to report of models.
    /// - Throws: those of the settings.
    package init(
        base: Network, _ settings: Settings, hub: FleetClient?, log: Logger, onChange: @escaping @Sendable () -> Void
    ) throws(Fault) {
        guard let plan = try UpdatePlan(settings, hub: hub), let store = Self.open(plan, base: base, log) else {
            self.init(fixed: base)
            return
        }
        do throws(Fault) {
            let (running, candidate) = try store.start(base: base) { log.warning("\($0)") }
            self.init(
                running, UpdateService(plan, store: store, base: base, running: running, candidate: candidate, log: log, onChange: onChange)
            )
        } catch {
            log.error("new models are not taken: \(error)")
            self.init(fixed: base)
        }
    }

    /// A model that is named on the command line is the one that runs.
    package init(fixed network: Network) { self.init(network, nil) }

    private init(_ network: Network, _ updates: UpdateService?) { (self.network, self.updates) = (network, updates) }

    private static func open(_ plan: UpdatePlan, base: Network, _ log: Logger) -> ModelStore? {
        do throws(Fault) {
            let store = try ModelStore(plan.directory, checks: plan.checks, base: base.version)
            // Held until the process ends.
            guard try StoreFolder.lock(plan.directory) != nil else {
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

internal import CrowdServer
package import HubStore
internal import Hummingbird
package import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import Serving
package import Support

/// The reference server of a fleet: EdgeML's device API, models, roll-outs, and a page for people.
package struct HubServer: Sendable {
    private let services: HubServices
    private let options: HubOptions
    private let log: Logger

    package init(_ store: HubStore, _ options: HubOptions, log: Logger) async throws(Fault) {
        if let folder = options.models { store.useModels(in: folder) }
        services = HubServices(store: store, options: options, secret: try await store.secret(), log: log)
        (self.options, self.log) = (options, log)
        try await store.keep(interval: options.heartbeatInterval)
        // Boards beat also where a crowd cannot be read.
        do throws(Fault) { try await services.crowd.settle() } catch { log.error("the crowd does not learn: \(error)") }
    }

    /// Serves until the process is asked to stop; what was under way is answered.
    ///
    /// - Parameter ready: is called with the port, once it is open.
    /// - Throws: `.configuration` for TLS files that cannot be used, `.failure` when the port cannot be had.
    package func run(ready: @escaping @Sendable (Int) -> Void) async throws(Fault) {
        let services = services, log = log, hasModels = options.models != nil
        do {
            // One thread for connections feeds several that answer; with as many of them as there are cores they only take turns.
            let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 4))
            var application = Application(
                router: HubRouter.make(services), server: try options.listening.server(),
                configuration: .init(
                    address: .hostname(options.listening.host, port: options.listening.port), serverName: "gaitway-hub", backlog: 1024),
                onServerRunning: { channel in
                    ready(channel.localAddress?.port ?? 0)
                    if !hasModels, (try? await services.store.hasMovedModels()) == true {
                        log.warning("models' files are not in the database: give --models, as before")
                    }
                }, eventLoopGroupProvider: .shared(loops), logger: log)
            application.addServices(Upkeep(services: services, log: log))
            if let folder = options.models { application.addServices(ModelMover(folder: folder, services: services, log: log)) }
            if !options.alerts.channels.isEmpty {
                application.addServices(AlertService(alerts: options.alerts, services: services, log: log))
            }
            try await application.runService()
        } catch let fault as Fault {
            throw fault
        } catch {
            throw options.listening.fault("the hub", error)
        }
        try await services.store.settle()
    }
}

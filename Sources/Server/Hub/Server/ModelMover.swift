internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Support

/// Moves new models' files to their place outside the database: what was added is there at once, and stays where that place is away.
struct ModelMover: Service {
    let folder: ModelFolder
    let services: HubServices
    let log: Logger

    private static let interval = 5.0

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var fault = RepeatedFault(), backOff = BackOff(base: Self.interval, cap: 300, jitter: .none)
            while !Task.isCancelled {
                var pause = Self.interval
                if await services.store.leads("models") != nil {
                    do throws(Fault) {
                        let count = try await services.store.moveModels(to: folder)
                        if count > 0 { log.notice("\(count == 1 ? "a model's file" : "\(count) models' files") went to \(folder.place)") }
                        backOff.reset()
                        if fault.clear() { log.notice("models' files go to \(folder.place) again") }
                    } catch {
                        if Task.isCancelled { return }
                        if fault.isNew(error.message) { log.error("models' files stay in the database: \(error)") }
                        pause = backOff.next()
                    }
                }
                do { try await Task.sleep(for: .seconds(pause)) } catch { return }
            }
        }
    }
}

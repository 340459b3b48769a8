internal import CrowdServer
internal import HubStore
internal import Hummingbird
internal import Support

/// How the crowd does, for people and the page.
struct CrowdRoutes {
    let services: HubServices

    init(services: HubServices) { self.services = services }

    func add(to api: RouterGroup<HubContext>) {
        api.get("crowd") { request, context in
            _ = try context.person()
            return Response.json(try await services.crowd.report())
        }
    }
}

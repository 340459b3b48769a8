internal import Hummingbird
internal import Logging
internal import Support

enum HubRouter {
    static func make(_ services: HubServices) -> Router<HubContext> {
        let router = Router(context: HubContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: Guard(services: services))
        PageRoutes.add(to: router)
        let api = router.group("/api/v1")
        api.get("health") { _, _ in Response.json(["status": "ok", "timestamp": .string(Timestamp.text(services.now))]) }
        api.get("openapi.json") { _, _ in PageRoutes.file(PackageResources.openapi_json, "application/json") }
        AuthRoutes(services: services).add(to: api)
        DeviceRoutes(services: services).add(to: api)
        DeviceModelRoutes(services: services).add(to: api)
        GroupRoutes(services: services).add(to: api)
        ModelRoutes(services: services).add(to: api)
        FileRoutes(services: services).add(to: api)
        RolloutRoutes(services: services).add(to: api)
        let telemetry = TelemetryRoutes(services: services)
        telemetry.add(to: api)
        telemetry.addSecondVersion(to: router.group("/api/v2"))
        CrowdRoutes(services: services).add(to: api)
        DatabaseRoutes(services: services).add(to: router)
        SignInRoutes(services: services).add(to: router)
        return router
    }
}

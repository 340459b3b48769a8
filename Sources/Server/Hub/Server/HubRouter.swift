internal import CrowdServer
internal import Hummingbird
internal import Logging
internal import Serving
internal import Support

enum HubRouter {
    static func make(_ services: HubServices) -> Router<HubContext> {
        @Sendable func health(_ request: Request, _ context: HubContext) -> Response {
            .json(["status": "ok", "timestamp": .string(ISOTime.text(services.now))])
        }
        let router = Router(context: HubContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: Authentication(services: services))
        PageRoutes.add(to: router)
        services.metrics.add(to: router, services)
        let api = router.group("/api/v1")
        // EdgeML's own clients ask at the root.
        router.get("health", use: health)
        api.get("health", use: health)
        // For the balancer before several servers: where its requests for /crowd go.
        router.get("crowd-health") { request, context in
            guard await services.crowd.isKeeper else {
                return APIError(.serviceUnavailable, "elsewhere", "the crowd is not at this server just now").response
            }
            return health(request, context)
        }
        api.add("openapi.json", PackageResources.openapi_json, "application/json")
        AuthRoutes(services: services).add(to: api)
        DeviceRoutes(services: services).add(to: api)
        BoardListRoutes(services: services).add(to: api)
        WaitingBoardRoutes(services: services).add(to: api)
        OperatorRoutes(services: services).add(to: api)
        DeviceModelRoutes(services: services).add(to: api)
        GroupRoutes(services: services).add(to: api)
        ModelRoutes(services: services).add(to: api)
        VersionRoutes(services: services).add(to: api)
        UploadRoutes(services: services).add(to: api)
        FileRoutes(services: services).add(to: api)
        RolloutRoutes(services: services).add(to: api)
        ExperimentRoutes(services: services).add(to: api)
        ExperimentReportRoutes(services: services).add(to: api)
        TrainingRoutes(services: services).add(to: api)
        PersonalWeightRoutes(services: services).add(to: api)
        StateRoutes(services: services).add(to: api)
        let telemetry = TelemetryRoutes(services: services)
        telemetry.add(to: api)
        telemetry.addSecondVersion(to: router.group("/api/v2"))
        CrowdRoutes(services: services).add(to: api)
        DatabaseRoutes(services: services).add(to: router)
        SignInRoutes(services: services).add(to: router)
        TargetRoutes(services: services).add(to: router)
        return router
    }
}

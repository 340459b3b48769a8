internal import HTTPTypes
internal import Hummingbird
package import Logging
internal import NIOCore
internal import NIOPosix
internal import Runtime
internal import Serving
package import Support

/// The board's page: what it recognises now and did today, for a browser; its buttons are gaitway's commands.
package struct DashboardServer: Sendable {
    private let options: DashboardOptions
    private let log: Logger

    package init(_ options: DashboardOptions, log: Logger) { (self.options, self.log) = (options, log) }

    /// Serves until the process is asked to stop.
    ///
    /// - Parameter ready: is called with the port, once it is open.
    /// - Throws: `.configuration` for TLS files that cannot be used, `.failure` when the port cannot be had.
    package func run(ready: @escaping @Sendable (Int) -> Void) async throws(Fault) {
        let listening = options.listening, command = ProgramCommand(program: options.program), long = LongCommand(command)
        do {
            var application = Application(
                router: router(command, long), server: try listening.server(),
                configuration: .init(address: .hostname(listening.host, port: listening.port), serverName: "gaitway-dashboard"),
                onServerRunning: { channel in ready(channel.localAddress?.port ?? 0) },
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)), logger: log)
            application.addServices(long)
            try await application.runService()
        } catch let fault as Fault {
            throw fault
        } catch {
            throw listening.fault("the page", error)
        }
    }

    private func router(_ command: ProgramCommand, _ long: LongCommand) -> Router<DashboardContext> {
        let router = Router(context: DashboardContext.self, options: .autoGenerateHeadEndpoints), check = TokenCheck(token: options.token)
        PageRoutes.add(to: router)
        let api = router.group("api").add(middleware: check)
        StreamRoutes().add(to: api)
        BoardRoutes(command: command, limit: options.bodyLimit).add(to: api)
        TrainingRoutes(command: command, long: long, limit: options.bodyLimit).add(to: api)
        ModelRoutes(command: command, limit: options.modelLimit).add(to: api)
        router.group("metrics").add(middleware: check).get { _, _ in try await metrics() }
        return router
    }

    @Sendable private func metrics() async throws -> Response {
        let answer = try await BoardRoutes.answer("metrics")
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: answer["text"]?.text ?? "")))
    }
}

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOPosix
internal import Runtime
internal import ServiceLifecycle
internal import Support
internal import Synchronization

/// The running program's local stream, line by line, for as long as the browser reads it. A browser that reads slowly loses lines, and is
/// told how many; one that shows nothing has no stream, and then nothing is made.
struct StreamRoutes: Sendable {
    /// Browsers at once.
    private static let most = 8
    /// Seconds in which a browser has to take a line.
    private static let patience = 60

    /// Of one browser: given back at its end, whatever that was.
    private final class Place: Sendable {
        private let taken: Places
        init(_ taken: Places) { self.taken = taken }
        deinit { taken.count.withLock { $0 -= 1 } }
    }

    private final class Places: Sendable { let count = Mutex(0) }

    private let places = Places()

    func add(to router: RouterGroup<DashboardContext>) { router.get("stream", use: stream) }

    @Sendable private func stream(_ request: Request, _ context: DashboardContext) async throws -> Response {
        let names = request.uri.queryParameters["events"].map { $0.split(separator: ",").map(String.init) } ?? []
        guard names.count <= StreamEvent.allCases.count else { throw DashboardError(.badRequest, "these are too many events") }
        let place = try place()
        let socket = try await Blocking.run { () throws(Fault) in try StreamSocket(try names.map(StreamEvent.init(named:))) }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: .init { writer in
                // Ended by a browser that goes, or takes nothing for a minute, and with the program.
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await withGracefulShutdownHandler {
                        try await Self.forward(socket, &writer, context.channel)
                    } onGracefulShutdown: {
                        context.channel.close(promise: nil)
                    }
                }
                _ = place
                try await writer.finish(nil)
            })
    }

    private func place() throws -> Place {
        try places.count.withLock { count in
            guard count < Self.most else { throw DashboardError(.serviceUnavailable, "\(Self.most) browsers look at this board already") }
            count += 1
        }
        return Place(places)
    }

    private static func forward(_ socket: StreamSocket, _ writer: inout any ResponseBodyWriter, _ browser: any Channel) async throws {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let channel = try await bootstrap.withConnectedSocket(socket.take()) { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
        }
        try await channel.executeThenClose { lines, _ in
            for try await line in lines {
                let isStalled = Task {
                    try await Task.sleep(for: .seconds(Self.patience))
                    browser.close(promise: nil)
                }
                defer { isStalled.cancel() }
                try await writer.write(line)
            }
        }
    }
}

internal import NIOCore
internal import NIOHTTPTypes

/// Counts a connection in, and ends requests that come byte by byte: a whole one has to come within a minute, or at a pace that brings a
/// model over a slow line.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let patience = TimeAmount.seconds(60)
    private static let leastBytes = 60 << 10 // in that time
    private static let readSize = 4096

    private let registry: ConnectionRegistry
    private var number: Int?
    private var deadline: Scheduled<Void>?
    private var bytes = 0

    init(_ registry: ConnectionRegistry) { self.registry = registry }

    func handlerAdded(context: ChannelHandlerContext) {
        // What one read brings is decoded at once: small requests by the thousand would take megabytes of each connection.
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
        if context.channel.isActive { enter(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(context)
        context.fireChannelActive()
    }

    private func enter(_ context: ChannelHandlerContext) {
        guard number == nil else { return }
        number = registry.add(context.channel, from: CallerAddress.network(context.remoteAddress?.ipAddress ?? "?"))
        if number == nil { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func leave() {
        deadline?.cancel()
        deadline = nil
        if let number { registry.remove(number) }
        number = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            if let number { registry.begins(number) }
            bytes = 0
            expectTheRest(context)
        case .body(let part): bytes += part.readableBytes
        case .end:
            deadline?.cancel()
            deadline = nil
        }
        context.fireChannelRead(data)
    }

    private func expectTheRest(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [self] in
            guard bytes >= Self.leastBytes else { return context.close(promise: nil) }
            bytes = 0
            expectTheRest(context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), let number { registry.ends(number) }
        context.write(data, promise: promise)
    }
}

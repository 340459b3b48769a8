internal import CrowdServer
internal import Foundation
internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import NIOCore
internal import RealtimeDatabase
internal import ServiceLifecycle
internal import Support

/// The crowd's database as Firebase's REST has it: /crowd/PATH.json.
struct DatabaseRoutes {
    let services: HubServices
    static let place = "/crowd/"
    private var keeper: CrowdKeeper { services.crowd }

    init(services: HubServices) { self.services = services }

    func add(to router: Router<HubContext>) {
        let database = router.group("/crowd")
        // A path's names may be anything: the router sees one wildcard.
        for method in [HTTPRequest.Method.get, .put, .patch, .delete] {
            database.on("**", method: method) { request, context in try await answer(method, request, context) }
        }
    }

    private func answer(_ method: HTTPRequest.Method, _ request: Request, _ context: HubContext) async throws -> Response {
        do {
            let path = try path(request), caller = try caller(context)
            try await keeper.requireKeeper()
            switch method {
            case .get: return try await read(path, caller, request)
            case .put, .delete: return try await replace(path, caller, request, isDelete: method == .delete)
            default: return try await update(path, caller, request)
            }
        } catch let refusal as DatabaseRefusal {
            return Self.refusal(.unauthorized, refusal.message)
        } catch let fault as Fault {
            switch fault.code {
            case .badData: return Self.refusal(.badRequest, fault.message)
            case .temporary: return Self.refusal(.serviceUnavailable, fault.message)
            default: throw fault
            }
        }
    }

    // Errors as Firebase says them.
    static func refusal(_ status: HTTPResponse.Status, _ message: String) -> Response { .json(["error": .string(message)], status: status) }

    private func path(_ request: Request) throws(Fault) -> NodePath {
        var text = Substring(request.uri.path)
        guard text.hasPrefix(Self.place), text.hasSuffix(".json") else { throw Fault(.badData, "Invalid path: it ends with .json") }
        text = text.dropFirst(Self.place.count).dropLast(".json".count)
        return try NodePath(
            text.split(separator: "/").map { (name) throws(Fault) in
                guard let found = String(name).removingPercentEncoding, !found.contains("/") else {
                    throw Fault(.badData, "Invalid path: \(text.prefix(100))")
                }
                return found
            }.joined(separator: "/"))
    }

    private func caller(_ context: HubContext) throws -> DatabaseCaller {
        switch context.caller?.holder {
        case nil: .nobody
        case .person: .person
        case .account(let uid): .user(uid)
        case .device(_, let id):
            if let id { .user(id) } else { throw APIError(.notFound, "device_not_registered", "this device is not registered") }
        }
    }

    // Reading needs no token where the rules say so, but one that has ended is refused: its holder should get another.
    private func require(_ isAllowed: Bool, _ caller: DatabaseCaller) throws {
        if isAllowed { return }
        throw DatabaseRefusal(caller == .nobody ? "Auth token is missing, or has expired" : "Permission denied")
    }

    private func read(_ path: NodePath, _ caller: DatabaseCaller, _ request: Request) async throws -> Response {
        try require(caller.mayRead(path), caller)
        if request.headers[.accept]?.contains("text/event-stream") == true { return await stream(path, request) }
        let node = await keeper.read(path)
        var response = Self.answer(request.uri.queryParameters["shallow"] == "true" ? Node.shallow(node) : Node.json(node))
        if request.headers[Self.wantsTag] == "true" { response.headers[.eTag] = Node.tag(node) }
        return response
    }

    private func replace(_ path: NodePath, _ caller: DatabaseCaller, _ request: Request, isDelete: Bool) async throws -> Response {
        try require(caller.mayWrite(path), caller)
        let node = isDelete ? nil : try Node.parse(try await request.bytes(limit: await keeper.bodyLimit)), tag = request.headers[.ifMatch]
        do throws(Fault) { try await keeper.write(path, [(path, node)], uid: path.names[1], onlyIf: tag) } catch {
            guard error.condition == .changedMeanwhile else { throw error }
            // What is there instead.
            let now = await keeper.read(path)
            var response = Self.answer(Node.json(now))
            response.status = .preconditionFailed
            response.headers[.eTag] = Node.tag(now)
            return response
        }
        return written(Node.json(node), request)
    }

    private func update(_ path: NodePath, _ caller: DatabaseCaller, _ request: Request) async throws -> Response {
        try require(caller.mayWrite(path), caller)
        let bytes = try await request.bytes(limit: await keeper.bodyLimit), changes = try Node.updates(bytes)
        try await keeper.write(path, changes.map { (NodePath(path.names + $0.path.names), $0.node) }, uid: path.names[1])
        return written(bytes, request)
    }

    private func written(_ body: [UInt8], _ request: Request) -> Response {
        request.uri.queryParameters["print"] == "silent" ? .nothing : Self.answer(body)
    }

    private static func answer(_ body: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    private static let wantsTag = HTTPField.Name("X-Firebase-ETag")!

    private func stream(_ path: NodePath, _ request: Request) async -> Response {
        let (events, sink) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(64))
        let keeper = keeper,
            number = await keeper.subscribe(
                path,
                { event in
                    // Who does not keep up connects again, and gets all of it.
                    if case .dropped = sink.yield(event) { sink.finish() }
                }, end: { sink.finish() }), token = Authentication.token(request), services = services
        let beats = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(30)) } catch { return }
                let isGood = if let token { (try? await services.store.session(token, now: services.now)) ?? nil != nil } else { true }
                sink.yield(isGood ? Subscriptions.keepAlive : Array("event: auth_revoked\ndata: credential is no longer valid\n\n".utf8))
                if !isGood { sink.finish() }
            }
        }
        sink.onTermination = { _ in
            beats.cancel()
            Task { await keeper.unsubscribe(number, of: path) }
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: .init { writer in
                // A hub that is to end does not wait for those who listen.
                try await withGracefulShutdownHandler {
                    for await event in events { try await writer.write(ByteBuffer(bytes: event)) }
                } onGracefulShutdown: {
                    sink.finish()
                }
                try await writer.finish(nil)
            })
    }
}

/// A rule says no.
struct DatabaseRefusal: Error {
    let message: String
    init(_ message: String) { self.message = message }
}

internal import HTTPTypes
internal import HubStore
internal import Hummingbird
internal import Support

/// Events that boards tell, in the shapes of three generations of clients.
struct TelemetryRoutes {
    let services: HubServices
    private let most = 1000

    init(services: HubServices) { self.services = services }

    func add(to api: RouterGroup<HubContext>) {
        api.post("telemetry/batches", use: batch)
        api.post("telemetry/inference", use: inference)
        api.post("inference/events", use: single)
    }

    func addSecondVersion(to api: RouterGroup<HubContext>) { api.post("telemetry/events", use: events) }

    /// In camelCase, as the contract has it, or in snake_case.
    @Sendable private func batch(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit)
        let device = try await services.device(named: body["deviceId"] ?? body["device_id"], context.session())
        guard let batch = try body.optional("batchId") ?? body.optional("batch_id"), !batch.isEmpty else {
            throw APIError.invalid("batchId is missing")
        }
        let events = try list(body).map { event throws(APIError) in try self.event(event) }
        try await keep(events, batch: batch, of: device)
        return .json([
            "batch_id": .string(batch), "batchId": .string(batch), "acked_through_seq": .integer(events.count),
            "ackedThroughSeq": .integer(events.count), "accepted": .integer(events.count),
        ])
    }

    /// EdgeML's own shape, or OpenTelemetry's logs as JSON.
    @Sendable private func events(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit)
        if let logs = OpenTelemetryLogs(body) {
            let device = try await services.device(named: logs.device.map { .string($0) }, context.session())
            let events = try logs.events(now: services.now, most: most)
            try await keep(events, of: device)
            return .json(["partialSuccess": [:], "accepted": .integer(events.count)])
        }
        let device = try await services.device(named: body["resource"]?["device_id"], context.session())
        let events = try list(body).map { event throws(APIError) in try self.event(event) }
        try await keep(events, of: device)
        return .json(["accepted": .integer(events.count)])
    }

    private func event(_ event: JSONValue) throws(APIError) -> Event {
        Event(
            at: try time(event["timestamp"]), name: try event.required("name"),
            attributes: String(decoding: (event["attributes"] ?? .object([:])).bytes, as: UTF8.self))
    }

    @Sendable private func inference(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit),
            device = try await services.device(named: nil, context.session())
        let events = try list(body).map { event throws(APIError) in
            Event(at: try time(event["timestamp"]), name: "inference", attributes: text(event))
        }
        try await keep(events, of: device)
        return .json(["accepted": .integer(events.count)])
    }

    @Sendable private func single(_ request: Request, _ context: HubContext) async throws -> Response {
        let body = try await request.object(limit: services.options.bodyLimit),
            device = try await services.device(named: body["device_id"], context.session())
        let event = Event(
            at: try time(body["timestamp_ms"] ?? body["timestamp"]), name: try body.optional("event_type") ?? "inference",
            attributes: text(body))
        let session = try body.optional("session_id") ?? ""
        try await keep([event], of: device)
        return .json(["accepted": .integer(1), "status": "ok", "session_id": .string(session)])
    }

    /// - Throws: 429 where the board has told more than its share.
    private func keep(_ events: [Event], batch: String? = nil, of device: String) async throws {
        let bytes = events.reduce(0) { $0 + $1.name.utf8.count + $1.attributes.utf8.count }
        if let seconds = services.eventBytes.wait(device, bytes: bytes, now: services.now) {
            throw APIError(
                .tooManyRequests, "rate_limited", "this board has told \(services.options.eventBytesPerHour >> 10) kB within an hour",
                retryAfter: seconds)
        }
        try await services.store.add(events, batch: batch, of: device, now: services.now)
    }

    private func list(_ body: JSONValue) throws(APIError) -> [JSONValue] {
        guard case .array(let events)? = body["events"] else { throw .invalid("events is no list") }
        guard events.count <= most else { throw .invalid("there are more than \(most) events") }
        return events
    }

    /// Seconds since 1970, of milliseconds (numbers), ISO 8601 (text), or by this hub's clock.
    private func time(_ value: JSONValue?) throws(APIError) -> Double {
        guard let value, value != .null else { return services.now }
        // A clock that is ahead makes nothing that never ages.
        let latest = services.now + 86_400
        if let number = value.number, number.isFinite, abs(number) < 1e15 { return min(number / 1000, latest) }
        guard case .string(let text) = value, let time = ISOTime.seconds(text) else {
            throw .invalid("a timestamp is neither milliseconds since 1970 nor ISO 8601")
        }
        return min(time, latest)
    }

    private func text(_ value: JSONValue?) -> String { String(decoding: (value ?? .object([:])).bytes, as: UTF8.self) }
}

internal import FoundationEssentials
internal import Ledger
public import Support
internal import Synchronization

/// Events that wait for a hub: at most so many, the oldest go first. They outlive a restart in a file, which is written when they could not
/// be sent and at the end, not with each event: a memory card lives longer.
public final class EventQueue: Sendable {
    /// Events that may wait; then the oldest go.
    public static let limit = 1000
    private static let most = 500

    private struct State: Codable {
        var events: [TelemetryEvent] = []
        /// The batch that is on its way, by its first events; it is sent again under the same name.
        var batch: String?
        var batchCount = 0
        var dropped = 0
    }

    private let state: Mutex<State>
    private let path: String

    /// - Parameter directory: the state's; the queue's is "edgeml_event_queue" in it, as the SDK has it.
    public init(in directory: String? = nil) {
        path = Self.path(directory ?? Places.state)
        let kept = (Files.isFile(path) ? try? Files.read(path, limit: 4 << 20) : nil).flatMap {
            try? JSONDecoder().decode(State.self, from: Data($0))
        }
        state = Mutex(
            kept.map { $0.events.count <= Self.limit && $0.batchCount <= $0.events.count && $0.batchCount >= 0 ? $0 : State() } ?? State())
    }

    private static func path(_ directory: String) -> String { directory + "/edgeml_event_queue/events.json" }

    package static func remove(in directory: String) throws(Fault) {
        if Files.exists(path(directory)) { try Files.remove(path(directory)) }
    }

    /// How many wait.
    public var count: Int { state.withLock { $0.events.count } }
    /// Whether a fall is among those that wait.
    var holdsFall: Bool { state.withLock { $0.events.contains { $0.type == "fall" } } }
    /// Events that were lost for want of room.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Lets an event wait; the oldest one goes where the queue is full.
    public func add(_ event: TelemetryEvent) {
        state.withLock { state in
            state.events.append(event)
            guard state.events.count > Self.limit else { return }
            state.events.remove(at: state.events.firstIndex { $0.type != "fall" } ?? 0)
            state.dropped += 1
            // The batch that is on its way is another one now.
            (state.batch, state.batchCount) = (nil, 0)
        }
    }

    func clear() { state.withLock { $0 = State() } }

    /// The oldest events under a name that stays theirs until ``sent(_:)``; nil when there are none.
    func batch() -> (name: String, events: [TelemetryEvent])? {
        state.withLock { state in
            guard !state.events.isEmpty else { return nil }
            if state.batch == nil { (state.batch, state.batchCount) = (UUID().uuidString.lowercased(), min(state.events.count, Self.most)) }
            return (state.batch ?? "", Array(state.events.prefix(state.batchCount)))
        }
    }

    func sent(_ name: String) {
        state.withLock { state in
            guard state.batch == name else { return }
            state.events.removeFirst(state.batchCount)
            (state.batch, state.batchCount) = (nil, 0)
        }
    }

    /// Keeps what waits for the next start.
    ///
    /// - Throws: those of the disk.
    public func save() throws(Fault) {
        let now = state.withLock { $0 }
        if now.events.isEmpty {
            if Files.exists(path) { try Files.remove(path) }
            return
        }
        guard let bytes = try? JSONEncoder().encode(now), let slash = path.lastIndex(of: "/") else { return }
        try Files.makeDirectory(String(path[..<slash]))
        try Files.write(Array(bytes), to: path, isPrivate: true)
    }
}

extension FleetClient {
    /// Sends what waits, a batch at a time. What arrives twice counts once: a batch keeps its name.
    ///
    /// - Throws: those of ``heartbeat(_:)``; what was not sent waits on. `.noInput` where the hub takes no telemetry.
    public func send(_ queue: EventQueue) async throws(Fault) {
        let known = try registered()
        while let (name, events) = queue.batch() {
            let captured = ISOTime.text(Double(events.last?.timestamp ?? 0) / 1000)
            let body: JSONValue = [
                "batchId": .string(name), "deviceId": .string(known.deviceId), "capturedAt": .string(captured),
                "sdkVersion": .string(Self.version), "events": .array(events.map(\.json)),
            ]
            let answer = try await authorised("POST", "telemetry/batches", body)
            // Who stands in between, as at a hotel, answers 200 with a page.
            _ = try api.good(answer, "telemetry/batches")
            ledger.note(.events, to: place, items: events.count)
            guard !answer.isForeign else {
                throw Fault(
                    .temporary, "what answered telemetry/batches is no hub: the events wait", remedy: "Is there a page to log in at?")
            }
            queue.sent(name)
        }
    }
}

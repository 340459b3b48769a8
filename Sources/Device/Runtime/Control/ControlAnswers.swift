internal import HubProtocol
internal import ModelStore
internal import Recognition
internal import Fleet
internal import Ledger
internal import Logging
internal import ProgramUpdates
internal import Support
internal import Updates
internal import Upload

/// What the running program answers at its control socket.
struct ControlAnswers: Sendable {
    let status: RunStatus
    let updates: UpdateService?
    let programs: ProgramUpdateService?
    let client: FleetClient?
    let crowd: CrowdProcess?
    let falls: FallWatch
    let spool: String?
    let stream: LocalStream
    let ledger: PrivacyLedger
    let events: EventService?
    let uploads: UploadService?
    let version: String

    func reply(_ question: String, _ caller: ControlServer.Caller) -> ControlServer.Reply {
        guard let asked = JSONValue(parsing: Array(question.utf8)), let command = asked["command"]?.text else {
            return .line(refusal(Fault(.usage, "this is no question")))
        }
        do throws(Fault) {
            switch command {
            case "status": break
            case "metrics": return .line(JSON.object([("text", .string(metrics))]).text)
            case "subscribe":
                try stream.add(caller.file, events: Self.events(asked))
                return .taken
            default:
                guard caller.isOwner else { throw Fault(.permission, "only its owner may ask for that", remedy: "Try it with sudo.") }
                try change(command, asked)
            }
            return .line(String(decoding: described.bytes, as: UTF8.self))
        } catch {
            return .line(refusal(error))
        }
    }

    private func change(_ command: String, _ asked: JSONValue) throws(Fault) {
        switch command {
        case "wear": try learnWearing()
        case "undo-wear": status.ask(.undo)
        case "cancel-alarm": try falls.cancel()
        case "install": try install(asked)
        case "rollback": try models().rollBack()
        case "accept": try models().accept()
        case "save-ledger": try ledger.save()
        case "discard": try discard()
        case "forget-hub":
            client?.hasLeft()
            crowd?.end()
            events?.discard(closes: true)
        case "pin": try models().pin(asked["pinned"] == true)
        default: throw Fault(.usage, "\"\(command)\" is no command of this version")
        }
    }

    // What waits to leave the board, and what has left is counted.
    private func discard() throws(Fault) {
        uploads?.discard()
        events?.discard(closes: false)
        try ledger.save()
    }

    private static func events(_ asked: JSONValue) throws(Fault) -> Set<StreamEvent> {
        guard case .array(let names)? = asked["events"] else { return StreamEvent.usual }
        return Set(try names.map { name throws(Fault) in try StreamEvent(named: name.text ?? "") })
    }

    private func refusal(_ fault: Fault) -> String {
        String(
            decoding: JSONValue.members([
                ("error", .string(fault.message)), ("code", .integer(Int(fault.code.rawValue))), ("remedy", JSONValue(fault.remedy)),
            ]).bytes, as: UTF8.self)
    }

    private func models() throws(Fault) -> UpdateService {
        guard let updates else {
            throw Fault(
                .configuration, "this run takes no new models",
                remedy: "It was started with --model, or gaitway was never registered; see updates.* in gaitway config show.")
        }
        return updates
    }

    private func learnWearing() throws(Fault) {
        let now = status.now
        guard now.windows > 0 else {
            throw Fault(.temporary, "there was no decision yet", remedy: "Try again in a few seconds; gaitway status shows the sensor.")
        }
        guard now.orientation != nil else {
            throw Fault(.usage, "this run's model has learnt one way to wear the sensor, and finds no other", remedy: "See its card.")
        }
        status.ask(.learn)
    }

    private func install(_ asked: JSONValue) throws(Fault) {
        guard let path = asked["path"]?.text else { throw Fault(.usage, "no file is named") }
        try models().install(path, as: asked["name"]?.text ?? path)
    }

    private var described: JSONValue {
        let now = status.now, device = client?.device ?? DeviceDescription(), waiting = SpoolStatus.waiting(in: spool)
        return .members([
            ("source", .string(now.source)), ("waits_for", JSONValue(now.waitsFor)),
            ("uptime_seconds", .integer(Int(clamping: status.uptime))),
            ("model_version", .integer(now.model)), ("activity", JSONValue(now.activity)),
            ("confidence", now.activity.map { _ in .number(Double(now.confidence) / 32768) }),
            ("orientation", now.orientation.map { .string($0.rawValue) }), ("placement", JSONValue(now.placement)),
            ("times_learnt", now.orientation.map { _ in .integer(now.timesLearnt) }),
            ("sampling_rate_hz", now.rate.map { .number(Double($0) / 1000) }), ("samples", .number(Double(now.samples))),
            ("windows", .number(Double(now.windows))), ("last_decision", now.lastWindow.map { .number(Double($0.at) / 1e9) }),
            ("steps", now.steps.map { .number(Double($0)) }), ("fall", JSONValue(falls.latest?.state.rawValue)),
            ("fall_at", falls.latest.map { .number(Double($0.at) / 1000) }),
            ("last_error", JSONValue(now.lastError?.message)),
            ("last_error_at", now.lastError.map { .number($0.at) }), ("temperature_celsius", device.temperature.map { .number($0) }),
            ("battery_level", JSONValue(device.batteryLevel)),
            ("network_type", .string(device.networkType)), ("fleet", fleet), ("crowd", crowd?.status),
            ("models", updates?.description), ("program", programs?.description),
            ("uploads", waiting.map { ["files": .integer($0.files), "bytes": .integer(Int(clamping: $0.bytes))] }),
        ])
    }

    private var metrics: String {
        BoardMetrics.text(
            status.now, uptime: status.uptime, fall: falls.latest?.state, device: client?.device ?? DeviceDescription(), version: version,
            spool: spool)
    }

    private var fleet: JSONValue? {
        guard let client, let known = client.registration else { return nil }
        return .members([
            ("hub", .string(client.hub)), ("device_id", .string(known.deviceId)), ("last_heartbeat", client.lastBeat.map { .number($0) }),
        ])
    }
}

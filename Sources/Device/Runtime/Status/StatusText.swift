internal import HubProtocol
internal import ModelStore
internal import Recognition
package import Support

/// What the running program says of itself, for people.
package struct StatusText {
    private let answer: JSONValue
    // Seconds since 1970.
    private let now: Double
    private var lines: [(name: String, text: String)] = []

    package static func of(_ answer: JSONValue, now: Double = SystemTime.wallTime) -> String {
        var text = StatusText(answer: answer, now: now)
        text.describe()
        return text.lines.map { "\($0.name.padded(11))  \($0.text)" }.joined(separator: "\n")
    }

    private init(answer: JSONValue, now: Double) { (self.answer, self.now) = (answer, now) }

    private mutating func add(_ name: String, _ text: String?) { if let text { lines.append((name, text)) } }

    private func worn(_ orientation: String) -> String {
        let place = answer["placement"]?.text.map { "at the \($0), " } ?? ""
        return switch KnownBy(rawValue: orientation) {
        case .learnt: "\(place)which way is up was learnt from walking"
        case .configured: "\(place)which way is up was configured"
        case .unknown, nil: "not known yet which way is up: walk for a quarter of a minute"
        }
    }

    private mutating func describe() {
        add("source", answer["source"]?.text)
        add("running", "for \(Units.duration(whole(answer["uptime_seconds"]))), \(whole(answer["windows"])) windows")
        add(
            "activity", answer["activity"]?.text.map { "\($0), \(number(answer["confidence"], 100, 0)) %" } ?? "not known: no window lately"
        )
        add("worn", answer["orientation"]?.text.map(worn))
        add("steps", answer["steps"].map { "\(whole($0)) today" })
        add("fall", answer["fall"]?.text.map { state in "\(state), \(answer["fall_at"].map(ago) ?? "")" })
        add("rate", answer["sampling_rate_hz"].map { "\(number($0)) Hz" })
        models()
        program()
        if let hub = answer["fleet"] {
            add("hub", "\(hub["hub"]?.text ?? ""), which calls this board \(hub["device_id"]?.text ?? "")")
            add("heartbeat", hub["last_heartbeat"].map(ago) ?? "not yet")
        }
        add(
            "uploads",
            answer["uploads"].map { "\(Units.files(Int(clamping: whole($0["files"])))), \(Units.megabytes(whole($0["bytes"]))) wait" })
        if let crowd = answer["crowd"] {
            add("crowd", crowd["doing"]?.text)
            let checkIns = whole(crowd["check_ins"])
            let epsilon = crowd["epsilon"].map { "epsilon \(number($0))" } ?? "about which no privacy can be stated"
            // Since its process began; and for good.
            if let counted = crowd["counted"] { add("", "gradients counted: \(whole(counted)), too late: \(whole(crowd["stale"]))") }
            if checkIns > 0 { add("", "given away so far: \(checkIns) gradients, \(epsilon)") }
        }
        let battery = answer["battery_level"].map { "battery \(whole($0)) %" },
            temperature = answer["temperature_celsius"].map { "\(number($0, 1, 1)) degrees Celsius" }
        add(
            "board",
            [answer["network_type"]?.text.map { "network \($0)" }, battery, temperature].compactMap(\.self).joined(separator: ", "))
        add(
            "last error",
            answer["last_error"]?.text.map { message in "\(message)" + (answer["last_error_at"].map { " (\(ago($0)))" } ?? "") })
    }

    private mutating func models() {
        let models = answer["models"], stage = models?["stage"]?.text, running = "\(whole(answer["model_version"]))"
        add("model", "version \(running)" + (stage == "probation" ? ", on probation" : "") + (models?["pinned"] == true ? ", pinned" : ""))
        if stage == "shadow" { add("tried", models?["candidate"]?.text.map { "version \($0), beside it" }) }
        add("before it", models?["previous"]?.text.map { "version \($0)" })
        if let deferred = models?["deferred"] {
            add("deferred", StoreStatus.refusal(Int(clamping: whole(deferred["version"])), deferred["reason"]?.text ?? ""))
        }
        if let offered = models?["offered"]?["name"]?.text { add("offered", "\(offered), until gaitway model accept") }
        guard case .array(let refused)? = models?["refused"] else { return }
        for entry in refused { add("refused", StoreStatus.refusal(Int(clamping: whole(entry["version"])), entry["reason"]?.text ?? "")) }
    }

    private mutating func program() {
        for line in Self.programs(answer["program"] ?? .null, above: 0) { add("gaitway", line) }
    }

    /// Releases of gaitway whose number is above another, a line each: what the service does with them and why.
    package static func programs(_ report: JSONValue, above least: Int) -> [String] {
        guard case .array(let versions)? = report["versions"] else { return [] }
        return versions.compactMap { entry in
            let number = Int(clamping: integer(entry["version"])), reason = entry["reason"]?.text ?? ""
            guard number > least else { return nil }
            return "version \(ProgramRelease.version(of: number)), \(entry["state"]?.text ?? "")\(reason.isEmpty ? "" : ": \(reason)")"
        }
    }

    private func ago(_ time: JSONValue) -> String { "\(Units.duration(whole(.number(now - (time.number ?? now))))) ago" }

    // Written by this program, but read as what any program might send.
    private func whole(_ value: JSONValue?) -> Int64 { Self.integer(value) }

    private static func integer(_ value: JSONValue?) -> Int64 { value?.number.flatMap { Int64(exactly: $0.rounded()) } ?? 0 }

    private func number(_ value: JSONValue?, _ factor: Double = 1, _ places: Int = 2) -> String {
        Decimals.text((value?.number ?? 0) * factor, places: places)
    }
}

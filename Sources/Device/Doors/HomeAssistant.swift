internal import HubProtocol
package import Support

/// A board as Home Assistant's MQTT device discovery describes it, and the topics that it then reads.
///
/// Source: Home Assistant's MQTT integration, 2026.2: one retained message for a device, with all of its components.
package struct HomeAssistant: Sendable {
    /// Letters, digits, `_` and `-`.
    package let id: String
    /// What all of the board's own topics begin with: "gaitway/ID".
    package let base: String
    private let name: String
    private let discovery: String

    /// - Parameters:
    ///   - name: the board's, as people see it.
    ///   - prefix: of the board's topics.
    ///   - discovery: of Home Assistant's.
    package init(name: String, prefix: String, discovery: String) {
        let plain = String(name.unicodeScalars.map { Self.plain.contains($0) ? Character($0) : "_" })
        (self.name, self.discovery, id) = (name, discovery, plain.isEmpty ? "board" : plain)
        base = "\(prefix)/\(plain.isEmpty ? "board" : plain)"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-".unicodeScalars)

    package var statusTopic: String { "\(base)/status" }
    package var stateTopic: String { "\(base)/state" }
    package var fallTopic: String { "\(base)/fall" }
    package var cancelTopic: String { "\(base)/cancel" }
    package var updateTopic: String { "\(base)/update" }
    package var labelTopic: String { "\(base)/label" }
    package var configTopic: String { "\(discovery)/device/gaitway_\(id)/config" }
    /// What a broker keeps of the board.
    package var retainedTopics: [String] { [configTopic, stateTopic, updateTopic, statusTopic] }
    /// Where Home Assistant says that it has started.
    package var birthTopic: String { "\(discovery)/status" }

    package static let noLabel = "none"

    /// - Parameters:
    ///   - labels: of the model, which the activity and the label are among.
    ///   - takesModels: whether new models can be installed.
    package func config(labels: [String], version: String, takesModels: Bool) -> JSONValue {
        let device: JSONValue = [
            "ids": .array([.string("gaitway_\(id)")]), "name": .string(name), "mf": "Gaitway", "mdl": "activity recognition",
            "sw": .string(version),
        ]
        var components: [String: JSONValue] = [:]
        func add(_ key: String, _ platform: String, _ name: String, _ members: [(String, JSONValue?)]) {
            components[key] = .members(
                [("p", .string(platform)), ("name", .string(name)), ("uniq_id", .string("gaitway_\(id)_\(key)"))] + members)
        }
        func value(_ key: String) -> (String, JSONValue?) { ("val_tpl", .string("{{ value_json.\(key) }}")) }
        let diagnostic: (String, JSONValue?) = ("ent_cat", "diagnostic")
        add(
            "activity", "sensor", "Activity",
            [("dev_cla", "enum"), ("options", .array((labels + ["unknown"]).map { .string($0) })), ("ic", "mdi:walk"), value("activity")])
        add("confidence", "sensor", "Confidence", [("unit_of_meas", "%"), ("stat_cla", "measurement"), diagnostic, value("confidence")])
        add("moving", "binary_sensor", "Moving", [("dev_cla", "moving"), value("moving")])
        add("running", "binary_sensor", "Running", [("ic", "mdi:run"), value("running")])
        add(
            "steps", "sensor", "Steps",
            [("unit_of_meas", "steps"), ("stat_cla", "total_increasing"), ("ic", "mdi:shoe-print"), value("steps")])
        add("cadence", "sensor", "Cadence", [("unit_of_meas", "steps/min"), ("stat_cla", "measurement"), value("cadence")])
        add(
            "fall", "event", "Fall",
            [
                ("stat_t", .string(fallTopic)), ("evt_typ", .array(FallState.allCases.map { .string($0.rawValue) })),
                ("ic", "mdi:human-cane"),
            ])
        add("fallen", "binary_sensor", "Fallen", [("ic", "mdi:alert"), value("fallen")])
        add("cancel", "button", "Cancel alarm", [("cmd_t", .string(cancelTopic)), ("pl_prs", "cancel")])
        add(
            "label", "select", "Label",
            [
                ("cmd_t", .string("\(labelTopic)/set")), ("options", .array(([Self.noLabel] + labels).map { .string($0) })), value("label"),
                ("ent_cat", "config"),
            ])
        add("problem", "binary_sensor", "Sensor", [("dev_cla", "problem"), diagnostic, value("problem")])
        add(
            "rate", "sensor", "Sampling rate",
            [("dev_cla", "frequency"), ("unit_of_meas", "Hz"), ("stat_cla", "measurement"), diagnostic, value("rate")])
        add(
            "temperature", "sensor", "Temperature",
            [("dev_cla", "temperature"), ("unit_of_meas", "°C"), ("stat_cla", "measurement"), diagnostic, value("temperature")])
        add(
            "battery", "sensor", "Battery",
            [("dev_cla", "battery"), ("unit_of_meas", "%"), ("stat_cla", "measurement"), diagnostic, value("battery")])
        add("model", "sensor", "Model", [("ic", "mdi:brain"), diagnostic, value("model")])
        // An entity that there is no more has its platform alone.
        if takesModels {
            add(
                "update", "update", "Model update",
                [
                    ("stat_t", .string(updateTopic)), ("cmd_t", .string("\(updateTopic)/set")), ("pl_inst", "install"),
                    ("ent_cat", "config"),
                    ("ic", "mdi:brain"),
                ])
        } else {
            components["update"] = ["p": "update"]
        }
        add(
            "connectivity", "binary_sensor", "Connection",
            [
                ("dev_cla", "connectivity"), diagnostic, ("stat_t", .string(statusTopic)), ("pl_on", "online"), ("pl_off", "offline"),
                // It tells of the connection itself.
                ("avty_t", .string(statusTopic)), ("avty_tpl", "online"),
            ])
        return [
            "dev": device, "o": ["name": "gaitway", "sw": .string(version)], "cmps": .object(components), "stat_t": .string(stateTopic),
            "avty_t": .string(statusTopic), "pl_avail": "online", "pl_not_avail": "offline", "qos": .integer(1),
        ]
    }

    /// The state of the update entity.
    package func update(_ update: ModelUpdateState) -> JSONValue {
        .members([
            ("installed_version", .string(update.installed)), ("latest_version", .string(update.latest)), ("title", "activity model"),
            ("release_summary", .string(String(update.note.prefix(250)))), ("in_progress", .bool(update.progress != nil)),
            ("update_percentage", update.progress.map { .integer($0) } ?? .null),
        ])
    }

    /// The board's state: numbers that are not known are null, which Home Assistant shows as unknown.
    package func state(_ state: BoardState) -> JSONValue {
        func onOff(_ value: Bool?) -> JSONValue { value.map { .string($0 ? "ON" : "OFF") } ?? .null }
        func number(_ value: Double?) -> JSONValue { value.map { .number(($0 * 10).rounded() / 10) } ?? .null }
        return .object([
            "activity": state.activity.map { .string($0) } ?? .null, "confidence": state.confidence.map { .integer($0) } ?? .null,
            "moving": onOff(state.isMoving), "running": onOff(state.activity.map { $0 == "RUNNING" }),
            "steps": state.steps.map { .whole($0) } ?? .null, "cadence": state.activity.map { _ in .integer(state.cadence ?? 0) } ?? .null,
            "fallen": onOff(state.isFallen),
            "fall": state.fall.map { .string($0.rawValue) } ?? .null, "problem": onOff(!state.samplesCome), "rate": number(state.rate),
            "temperature": number(state.temperature), "battery": state.battery.map { .integer($0) } ?? .null,
            "model": .string("\(state.modelVersion)"), "label": .string(state.label ?? Self.noLabel),
        ])
    }
}

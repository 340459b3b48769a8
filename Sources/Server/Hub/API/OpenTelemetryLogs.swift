internal import HubStore
internal import Support

/// OpenTelemetry's ExportLogsServiceRequest as JSON (OTLP 1): resourceLogs, scopeLogs, logRecords.
struct OpenTelemetryLogs {
    /// What a resource calls itself.
    let device: String?
    private let records: [JSONValue]

    /// nil for another document.
    init?(_ body: JSONValue) {
        guard case .array(let resources)? = body["resourceLogs"] else { return nil }
        let attributes = resources.first.map { Self.attributes($0["resource"]) } ?? [:]
        device = attributes["device_id"]?.text ?? attributes["device.id"]?.text
        records = resources.flatMap { Self.list($0["scopeLogs"]) }.flatMap { Self.list($0["logRecords"]) }
    }

    /// - Throws: 422 for too many of them, or one without a name.
    func events(now: Double, most: Int) throws(APIError) -> [Event] {
        guard records.count <= most else { throw .invalid("there are more than \(most) events") }
        return try records.map { record throws(APIError) in
            let attributes = Self.attributes(record)
            let name = record["eventName"]?.text ?? attributes["event.name"]?.text ?? record["body"]?["stringValue"]?.text ?? ""
            guard !name.isEmpty, name.utf8.count <= 200 else { throw .invalid("a log record has no eventName") }
            // Nanoseconds, as text: JSON's numbers have no 64 bits.
            let time = record["timeUnixNano"]?.text.flatMap { Double($0) }.map { $0 / 1e9 } ?? now
            guard time.isFinite, abs(time) < 1e12 else { throw .invalid("timeUnixNano is no time") }
            return Event(
                at: min(time, now + 86_400), name: name, attributes: String(decoding: JSONValue.object(attributes).bytes, as: UTF8.self))
        }
    }

    private static func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let found)? = value { found } else { [] }
    }

    // {"key": "a", "value": {"stringValue": "b"}}; whole numbers are text there.
    private static func attributes(_ value: JSONValue?) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for entry in list(value?["attributes"]) {
            guard let key = entry["key"]?.text, case .object(let wrapped)? = entry["value"], let (kind, inner) = wrapped.first else {
                continue
            }
            found[key] = kind == "intValue" ? inner.text.flatMap { Int($0) }.map { .integer($0) } ?? inner : inner
        }
        return found
    }
}

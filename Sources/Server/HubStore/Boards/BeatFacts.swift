internal import JSONReading
internal import Support

/// What boards are sorted by, and why somebody should look at them, out of their heartbeats. What boards of other makes say may be of any
/// type: only what is of the right one counts.
struct BeatFacts: Equatable {
    var activity: String?
    /// Percent.
    var battery: Double?
    /// Degrees Celsius.
    var heat: Double?
    /// Uploads that wait.
    var files: Double?
    var fallState: String?
    var fallTime: String?
    var fault: String?
    /// Samples a second, as measured.
    var rate: Double?

    init(_ body: String) {
        guard let beat = JSONValue(reading: Array(body.utf8), only: ["metadata", "last_error_code"]) else { return }
        let metadata = beat["metadata"]
        func number(_ name: String) -> Double? { metadata?[name]?.number }
        (activity, battery, heat) = (Self.string(metadata?["activity"]), number("battery_level"), number("temperature_celsius"))
        (files, fallState, fallTime) = (number("spool_files"), Self.string(metadata?["fall"]), Self.string(metadata?["fall_at"]))
        (fault, rate) = (Self.string(beat["last_error_code"]), number("sampling_rate_hz"))
    }

    private static func string(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value else { return nil }
        // PostgreSQL keeps none of these.
        return text.utf8.contains(0) ? text.filter { $0 != "\0" } : text
    }
}

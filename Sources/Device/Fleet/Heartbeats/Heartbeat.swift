public import HubProtocol
internal import Support

/// What a board says of itself again and again, beside what ``DeviceDescription`` knows.
public struct Heartbeat: Sendable, Equatable {
    /// The model that runs: its version.
    public var modelVersion: String?
    /// What went wrong last, and when: seconds since 1970.
    public var lastError: String?
    /// When that was: seconds since 1970.
    public var lastErrorTime: Double?
    /// Files that wait to be uploaded, and their bytes.
    public var spoolFiles: Int?
    /// Bytes that wait in the spool.
    public var spoolBytes: Int?
    /// As the samples' times tell, Hz.
    public var samplingRate: Double?
    /// Of the sensor's chip, trigger and bus, a second since the heartbeat before.
    public var interruptRate: Double?
    /// Context switches of the program, a second.
    public var switchRate: Double?
    /// The activity of the last window, and when that was: seconds since 1970.
    public var activity: String?
    /// When the last decision was: seconds since 1970.
    public var lastInference: Double?
    /// Steps since midnight, where the board keeps days.
    public var steps: Int?
    /// What is known of the latest fall, and when its blow was: seconds since 1970.
    public var fall: FallState?
    /// When that was: seconds since 1970.
    public var fallTime: Double?
    /// What became of versions of a model, as gaitway-hub understands it.
    public var models: ModelReport?
    /// What became of releases of the program itself, likewise.
    public var programs: ModelReport?

    /// Without any facts yet.
    public init() {}

    /// What all generations of servers look for, side by side.
    func body(_ device: DeviceDescription) -> JSONValue {
        var metadata: [(String, JSONValue?)] = [
            ("network_type", .string(device.networkType)), ("battery_level", JSONValue(device.batteryLevel)),
            ("temperature_celsius", device.temperature.map { .number($0) }),
            ("spool_files", JSONValue(spoolFiles)), ("spool_bytes", JSONValue(spoolBytes)),
            ("sampling_rate_hz", samplingRate.map { .number($0) }),
            ("interrupts_per_second", interruptRate.map { .number($0) }), ("context_switches_per_second", switchRate.map { .number($0) }),
            ("activity", JSONValue(activity)), ("steps", JSONValue(steps)), ("fall", JSONValue(fall?.rawValue)),
            ("fall_at", JSONValue(fallTime.map { ISOTime.text($0) })),
        ]
        metadata += [("model_version", JSONValue(modelVersion)), ("last_error_at", JSONValue(lastErrorTime.map { ISOTime.text($0) }))]
        let message = HeartbeatMessage(models: models == nil && programs == nil ? nil : [models, programs].compactMap(\.self))
        return .members(
            message.members + [
                ("metadata", .members(metadata)), ("sdk_version", .string(FleetClient.version)),
                ("os_version", JSONValue(device.osVersion)),
                ("battery_level", JSONValue(device.batteryLevel)), ("battery_pct", JSONValue(device.batteryLevel)),
                ("is_charging", JSONValue(device.isCharging)),
                ("charging", JSONValue(device.isCharging)), ("network_type", .string(device.networkType)),
                ("available_memory_mb", JSONValue(device.availableMemoryMB)),
                ("available_storage_mb", JSONValue(device.availableStorageMB)), ("active_model_version", JSONValue(modelVersion)),
                ("last_error_code", JSONValue(lastError)),
                ("last_inference_at", JSONValue(lastInference.map { ISOTime.text($0) })),
            ])
    }
}

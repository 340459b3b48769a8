internal import Fleet
internal import Support

/// What a fleet is told of this board, with the EdgeML SDK's names; from Linux's own files, and nothing that they do not tell.
public final class DeviceInfo: Sendable {
    private let device: DeviceDescription

    /// - Parameter identifier: the board's own, where it has one already.
    public init(identifier: String? = nil) { device = DeviceDescription(identifier: identifier) }

    /// - Parameter root: where the machine's files are looked for.
    package init(root: String, environment: [String: String]) { device = DeviceDescription(root: root, environment: environment) }

    /// The same for good: made of the machine's ID without telling it, else the host's name.
    public var deviceId: String { device.deviceId }
    /// "linux"
    public var platform: String { device.platform }
    /// The board's maker, by the device tree or DMI; nil where the kernel names none.
    public var manufacturer: String? { device.manufacturer }
    /// The board's model; nil where the kernel names none.
    public var model: String? { device.model }
    /// "arm64", "armv7l", "x86_64": what this program was built for.
    public var cpuArchitecture: String { device.cpuArchitecture }
    /// Whether the kernel shows a GPU.
    public var gpuAvailable: Bool { device.gpuAvailable }
    /// MiB.
    public var totalMemoryMB: Int? { device.totalMemoryMB }
    /// MiB.
    public var availableMemoryMB: Int? { device.availableMemoryMB }
    /// MiB.
    public var availableStorageMB: Int? { device.availableStorageMB }
    /// The kernel: "Linux 6.12.43".
    public var osVersion: String? { device.osVersion }
    /// The system around it: "Debian GNU/Linux 12 (bookworm)".
    public var distribution: String? { device.distribution }
    /// "de_DE"; nil for C and POSIX.
    public var locale: String? { device.locale }
    /// "DE"
    public var region: String? { device.region }
    /// IANA's name.
    public var timezone: String? { device.timezone }
    /// Percent; nil without a battery.
    public var batteryLevel: Int? { device.batteryLevel }
    /// nil without a battery.
    public var isCharging: Bool? { device.isCharging }
    /// wifi, ethernet, cellular, offline, unknown.
    public var networkType: String { device.networkType }
    /// Of the warmest part that has a sensor, degrees Celsius.
    public var temperature: Double? { device.temperature }

    /// What a registration says of the board. The organisation and the SDK's version are the caller's to add.
    public func toRegistrationDict() -> [String: Any] { device.registration.any as? [String: Any] ?? [:] }

    /// What changes from heartbeat to heartbeat: network and battery.
    public func updateMetadata() -> [String: Any] { device.metadata.any as? [String: Any] ?? [:] }
}

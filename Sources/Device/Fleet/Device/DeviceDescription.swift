internal import Cryptography
internal import Glibc
package import Support

/// What a fleet is told of this board: from Linux's own files, and nothing that they do not tell.
package final class DeviceDescription: Sendable {
    private let facts: LinuxFacts
    private let given: String?

    /// - Parameters:
    ///   - identifier: the board's own, where it has one already.
    ///   - root: where the machine's files are looked for.
    package init(identifier: String? = nil, root: String = "/", environment: [String: String]? = nil) {
        given = identifier
        facts = LinuxFacts(root: root.hasSuffix("/") ? root : root + "/", environment: environment ?? Self.environment)
    }

    private static var environment: [String: String] {
        var found: [String: String] = [:]
        for name in ["LC_ALL", "LC_MESSAGES", "LANG", "TZ"] { unsafe getenv(name).map { unsafe found[name] = String(cString: $0) } }
        return found
    }

    /// The same for good: made of the machine's ID without telling it, else the host's name.
    package var deviceId: String { given ?? (try? BoardName.of(machineID: facts.root + "etc/machine-id")) ?? facts.hostname ?? "unknown" }

    package var platform: String { "linux" }
    package var manufacturer: String? { facts.manufacturer }
    package var model: String? { facts.model }
    /// "arm64", "armv7l", "x86_64": what this program was built for.
    package var cpuArchitecture: String {
        #if arch(arm64)
            "arm64"
        #elseif arch(arm)
            "armv7l"
        #elseif arch(x86_64)
            "x86_64"
        #else
            "unknown"
        #endif
    }
    package var gpuAvailable: Bool { facts.hasGPU }
    /// MiB.
    package var totalMemoryMB: Int? { facts.memory("MemTotal") }
    package var availableMemoryMB: Int? { facts.memory("MemAvailable") }
    package var availableStorageMB: Int? { facts.storage }
    /// The kernel: "Linux 6.12.43".
    package var osVersion: String? { facts.kernel }
    /// The system around it: "Debian GNU/Linux 12 (bookworm)".
    package var distribution: String? { facts.distribution }
    package var locale: String? { facts.locale }
    package var region: String? { facts.region }
    /// IANA's name.
    package var timezone: String? { facts.timezone }
    /// Percent; nil without a battery.
    package var batteryLevel: Int? { facts.battery }
    package var isCharging: Bool? { facts.isCharging }
    /// wifi, ethernet, cellular, offline, unknown.
    package var networkType: String { facts.network }
    /// Of the warmest part that has a sensor, degrees Celsius.
    package var temperature: Double? { facts.temperature }

    /// What a registration says of the board. The organisation and the SDK's version are the caller's to add.
    package var registration: JSONValue {
        .members([
            ("device_identifier", .string(deviceId)), ("platform", .string(platform)), ("os_version", JSONValue(osVersion)),
            ("device_info", .members(hardware)), ("locale", JSONValue(locale)), ("region", JSONValue(region)),
            ("timezone", JSONValue(timezone)), ("metadata", metadata),
            (
                "capabilities",
                .members([
                    ("cpu_architecture", .string(cpuArchitecture)), ("gpu_available", .bool(gpuAvailable)),
                    ("distribution", JSONValue(distribution)),
                ])
            ),
        ])
    }

    /// Nested for the first generation of servers, flat for the last.
    var hardware: [(String, JSONValue?)] {
        [
            ("manufacturer", JSONValue(manufacturer)), ("model", JSONValue(model)), ("cpu_architecture", .string(cpuArchitecture)),
            ("gpu_available", .bool(gpuAvailable)),
            ("total_memory_mb", JSONValue(totalMemoryMB)), ("available_storage_mb", JSONValue(availableStorageMB)),
        ]
    }

    /// What changes from heartbeat to heartbeat: network and battery.
    package var metadata: JSONValue { .members([("network_type", .string(networkType)), ("battery_level", JSONValue(batteryLevel))]) }
}

import FoundationEssentials
import Glibc
import Support
import Testing

@testable import Fleet

/// A directory with files in it, as a machine's.
private func machine(_ files: [String: String]) throws -> String {
    var template = Array("/tmp/gaitway-fleet-XXXXXX".utf8CString)
    let root = String(cString: try #require(mkdtemp(&template))) + "/"
    for (path, text) in files {
        try Files.makeDirectory(root + path.split(separator: "/").dropLast().joined(separator: "/"))
        try Files.write(Array(text.utf8), to: root + path)
    }
    return root
}

private let raspberry = [
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n", "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "proc/device-tree/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0", "proc/sys/kernel/osrelease": "6.12.43+rpt-rpi-v8\n",
    "etc/os-release": "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "proc/sys/kernel/hostname": "gait1\n",
    "proc/meminfo": "MemTotal:        3884360 kB\nMemFree:          100000 kB\nMemAvailable:    3000000 kB\n", "dev/dri/renderD128": "", "etc/timezone": "Europe/Berlin\n",
    "proc/net/route": "Iface\tDestination\tGateway\nwlan0\t00000000\t0101A8C0\nwlan0\t0001A8C0\t00000000\n", "sys/class/net/wlan0/type": "1\n", "sys/class/net/wlan0/wireless/x": "",
    "sys/class/power_supply/BAT0/type": "Battery\n", "sys/class/power_supply/BAT0/capacity": "87\n", "sys/class/power_supply/BAT0/status": "Discharging\n",
    "sys/class/thermal/thermal_zone0/temp": "48312\n", "sys/class/thermal/thermal_zone1/temp": "51000\n",
]

@Suite struct DeviceInfoTests {
    @Test func aRaspberryPi() throws {
        let device = DeviceInfo(root: try machine(raspberry), environment: ["LANG": "de_DE.UTF-8"])
        #expect(device.deviceId.hasPrefix("board-") && !device.deviceId.contains("0123"))
        #expect((device.model, device.manufacturer, device.osVersion) == ("Raspberry Pi 4 Model B Rev 1.4", "raspberrypi", "Linux 6.12.43+rpt-rpi-v8"))
        #expect((device.totalMemoryMB, device.availableMemoryMB, device.gpuAvailable) == (3793, 2929, true))
        #expect(device.availableStorageMB.map { $0 > 0 } == true)
        #expect((device.locale, device.region, device.timezone) == ("de_DE", "DE", "Europe/Berlin"))
        #expect((device.networkType, device.batteryLevel, device.isCharging, device.temperature) == ("wifi", 87, false, 51))
        let dictionary = device.toRegistrationDict()
        #expect(dictionary["platform"] as? String == "linux" && dictionary["device_identifier"] as? String == device.deviceId)
        #expect((dictionary["device_info"] as? [String: Any])?["total_memory_mb"] as? Int == 3793)
        #expect((dictionary["metadata"] as? [String: Any])?["battery_level"] as? Int == 87)
        #expect((dictionary["capabilities"] as? [String: Any])?["distribution"] as? String == "Debian GNU/Linux 12 (bookworm)")
        #expect(device.updateMetadata()["network_type"] as? String == "wifi")
    }

    // A default route as /proc/net/ipv6_route has it.
    private static func six(_ flags: String, _ interface: String) -> String {
        let nobody = String(repeating: "0", count: 32)
        return "\(nobody) 00 \(nobody) 00 \(nobody) 00000400 00000001 00000000 \(flags)     \(interface)\n"
    }

    @Test func aMachineThatTellsNothing() throws {
        let device = DeviceInfo(root: try machine(["proc/sys/kernel/hostname": "bare\n"]), environment: ["LANG": "C.UTF-8"])
        #expect(device.deviceId == "bare" && device.model == nil && device.batteryLevel == nil && device.locale == nil && device.timezone == nil && device.networkType == "unknown")
        let dictionary = device.toRegistrationDict()
        #expect(dictionary["locale"] == nil && dictionary["os_version"] == nil, "what is unknown is left out")
        #expect(Set((dictionary["device_info"] as? [String: Any])?.keys.map { $0 } ?? []) == ["cpu_architecture", "gpu_available", "available_storage_mb"])
    }

    @Test(arguments: [
        (["sys/class/net/eth0/type": "1"], "eth0\t00000000\t0101A8C0", "ethernet"), (["sys/class/net/wwan0/type": "65534"], "wwan0\t00000000\t0", "cellular"),
        (["sys/class/net/usb0/uevent": "DEVTYPE=wwan\n"], "usb0\t00000000\t0", "cellular"), ([:], "eth0\t0001A8C0\t00000000", "offline"), ([:], "tun0\t00000000\t0", "unknown"),
        (["proc/net/ipv6_route": Self.six("00000001", "eth0") + Self.six("00200200", "lo"), "sys/class/net/eth0/type": "1"], "", "ethernet"),
        (["proc/net/ipv6_route": Self.six("00200200", "lo")], "", "offline"),
    ] as [([String: String], String, String)])
    func networks(_ files: [String: String], _ route: String, _ expected: String) throws {
        let root = try machine(files.merging(["proc/net/route": "Iface\tDestination\tGateway\n\(route)\n"]) { $1 })
        #expect(DeviceInfo(root: root, environment: [:]).networkType == expected)
    }
}

@Suite struct TokenTests {
    @Test(arguments: [
        ("2026-02-06T10:00:00Z", 1770372000.0), ("2026-02-06T10:00:00.5Z", 1770372000.5), ("2026-02-06T10:00:00.123456Z", 1770372000.123456), ("2026-02-06T12:00:00+02:00", 1770372000),
    ])
    func dates(_ text: String, _ seconds: Double) throws {
        #expect(abs(try #require(ISOTime.seconds(text)) - seconds) < 1e-6)
    }

    @Test func answersOfAllServers() throws {
        let now = Date(timeIntervalSince1970: 1_770_372_000)
        func state(_ json: String) -> DeviceTokenState? { DeviceTokenState(answer: JSONValue(parsing: Array(json.utf8)) ?? .null, orgId: "o", deviceIdentifier: "d", now: now) }
        let both = try #require(state(#"{"access_token":"a","refresh_token":"r","expires_at":"2030-01-01T00:00:00Z","expires_in":900,"scopes":["devices:write"]}"#))
        #expect(both.expiresAt == now.addingTimeInterval(900) && both.scopes == ["devices:write"] && both.tokenType == "Bearer" && both.orgId == "o")
        #expect(try #require(state(#"{"access_token":"a","refresh_token":"r","expires_at":"2026-02-06T11:00:00.250Z"}"#)).expiresAt == now.addingTimeInterval(3600.25))
        for bad in ["{}", #"{"access_token":"a"}"#, #"{"access_token":"","refresh_token":"r","expires_in":9}"#, #"{"access_token":"a","refresh_token":"r","expires_in":"soon"}"#, "[]"] { #expect(state(bad) == nil) }
        // As it is kept, and as the SDK keeps it.
        let kept = try JSONEncoder().encode(both)
        #expect(String(decoding: kept, as: UTF8.self).contains(#""expires_at":"2026-02-06T10:15:00.000Z""#))
        #expect(try JSONDecoder().decode(DeviceTokenState.self, from: kept) == both)
    }

    @Test func tokensAreForTheirOwnerAlone() throws {
        let root = try machine([:]), file = TokenFile(service: "ai.edgeml", account: "o/../x:d", in: root)
        #expect(try file.read() == nil)
        let state = try #require(DeviceTokenState(answer: .members([("access_token", .string("a")), ("refresh_token", .string("r")), ("expires_in", .integer(9))]), orgId: "o", deviceIdentifier: "d", now: Date(timeIntervalSince1970: 5)))
        try file.write(state)
        #expect(try file.read() == state)
        let name = try #require(try Files.list(root + "ai.edgeml").first)
        #expect(try name == "o_.._x:d.json" && Files.isPrivate(root + "ai.edgeml/" + name) && Files.isPrivate(root + "ai.edgeml"))
        try Files.write(Array("{".utf8), to: root + "ai.edgeml/" + name)
        #expect(throws: Fault.self) { try file.read() }
    }
}

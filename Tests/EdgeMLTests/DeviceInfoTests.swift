import Support
import TestHelpers
import Testing

@testable import EdgeML

private let raspberry = [
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n", "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "proc/device-tree/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0", "proc/sys/kernel/osrelease": "6.12.43+rpt-rpi-v8\n",
    "etc/os-release": "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "proc/sys/kernel/hostname": "gait1\n",
    "proc/meminfo": "MemTotal:        3884360 kB\nMemFree:          100000 kB\nMemAvailable:    3000000 kB\n", "dev/dri/renderD128": "",
    "etc/timezone": "Europe/Berlin\n",
    "proc/net/route": "Iface\tDestination\tGateway\nwlan0\t00000000\t0101A8C0\nwlan0\t0001A8C0\t00000000\n",
    "sys/class/net/wlan0/type": "1\n", "sys/class/net/wlan0/wireless/x": "",
    "sys/class/power_supply/BAT0/type": "Battery\n", "sys/class/power_supply/BAT0/capacity": "87\n",
    "sys/class/power_supply/BAT0/status": "Discharging\n",
    "sys/class/thermal/thermal_zone0/temp": "48312\n", "sys/class/thermal/thermal_zone1/temp": "51000\n",
]

@Suite struct DeviceInfoTests {
    @Test func aRaspberryPi() throws {
        let device = DeviceInfo(root: try machine(raspberry), environment: ["LANG": "de_DE.UTF-8"])
        #expect(device.deviceId.hasPrefix("board-") && !device.deviceId.contains("0123"))
        #expect(
            (device.model, device.manufacturer, device.osVersion) == (
                "Raspberry Pi 4 Model B Rev 1.4", "raspberrypi", "Linux 6.12.43+rpt-rpi-v8"
            ))
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
        #expect(
            device.deviceId == "bare" && device.model == nil && device.batteryLevel == nil && device.locale == nil && device.timezone == nil
                && device.networkType == "unknown")
        let dictionary = device.toRegistrationDict()
        #expect(dictionary["locale"] == nil && dictionary["os_version"] == nil, "what is unknown is left out")
        #expect(
            Set((dictionary["device_info"] as? [String: Any])?.keys.map { $0 } ?? []) == [
                "cpu_architecture", "gpu_available", "available_storage_mb",
            ])
    }

    @Test(
        arguments: [
            (["sys/class/net/eth0/type": "1"], "eth0\t00000000\t0101A8C0", "ethernet"),
            (["sys/class/net/wwan0/type": "65534"], "wwan0\t00000000\t0", "cellular"),
            (["sys/class/net/usb0/uevent": "DEVTYPE=wwan\n"], "usb0\t00000000\t0", "cellular"),
            ([:], "eth0\t0001A8C0\t00000000", "offline"), ([:], "tun0\t00000000\t0", "unknown"),
            (
                ["proc/net/ipv6_route": Self.six("00000001", "eth0") + Self.six("00200200", "lo"), "sys/class/net/eth0/type": "1"], "",
                "ethernet"
            ),
            (["proc/net/ipv6_route": Self.six("00200200", "lo")], "", "offline"),
        ] as [([String: String], String, String)])
    func networks(_ files: [String: String], _ route: String, _ expected: String) throws {
        let root = try machine(files.merging(["proc/net/route": "Iface\tDestination\tGateway\n\(route)\n"]) { $1 })
        #expect(DeviceInfo(root: root, environment: [:]).networkType == expected)
    }
}

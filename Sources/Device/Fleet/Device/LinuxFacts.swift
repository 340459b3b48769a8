internal import Support

/// What Linux tells of the machine, from files below `root`. What it does not tell is nil: nothing is made up.
struct LinuxFacts {
    /// "/" but for tests.
    let root: String
    /// Locale and time zone.
    let environment: [String: String]

    private func text(_ path: String) -> String? {
        guard let bytes = try? Files.read(root + path, limit: 1 << 16) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).trimmed
        return text.isEmpty ? nil : String(text)
    }

    private func names(_ path: String) -> [String] { (try? Files.list(root + path)) ?? [] }

    /// As the board's device tree has it, else the firmware: "Raspberry Pi 4 Model B Rev 1.4".
    var model: String? { text("proc/device-tree/model") ?? text("sys/devices/virtual/dmi/id/product_name") }

    /// Of the firmware, else whom the device tree's first name belongs to: "raspberrypi".
    var manufacturer: String? {
        text("sys/devices/virtual/dmi/id/sys_vendor")
            ?? text("proc/device-tree/compatible").flatMap { $0.contains(",") ? String($0.prefix { $0 != "," }) : nil }
    }

    /// "Linux 6.12.43".
    var kernel: String? { text("proc/sys/kernel/osrelease").map { "Linux \($0)" } }

    /// "Debian GNU/Linux 12 (bookworm)"; of either place that os-release(5) names.
    var distribution: String? { setting("PRETTY_NAME", in: "etc/os-release") ?? setting("PRETTY_NAME", in: "usr/lib/os-release") }

    /// MiB, by a name of /proc/meminfo.
    func memory(_ name: String) -> Int? {
        let line = text("proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 / 1024 }
    }

    /// MiB.
    var storage: Int? { FreeSpace.bytes(root).map { Int(clamping: $0 >> 20) } }

    var hasGPU: Bool { names("dev/dri").contains { $0.hasPrefix("renderD") } }

    var hostname: String? { text("proc/sys/kernel/hostname") }

    /// "de_DE"; nil for C and POSIX.
    var locale: String? {
        let value =
            ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
            ?? setting("LANG", in: "etc/default/locale")
        guard let name = value?.prefix(while: { $0 != "." && $0 != "@" }), !["", "C", "POSIX"].contains(name) else { return nil }
        return String(name)
    }

    /// "DE".
    var region: String? { locale.flatMap { $0.split(separator: "_").dropFirst().first.map(String.init) } }

    private func setting(_ name: String, in path: String) -> String? {
        text(path)?.split(separator: "\n").first { $0.hasPrefix(name + "=") }.map {
            String($0.dropFirst(name.count + 1).filter { $0 != "\"" && $0 != "'" })
        }
    }

    /// "Europe/Berlin".
    var timezone: String? {
        if let name = environment["TZ"], name.contains("/"), !name.hasPrefix("/"), !name.hasPrefix(":") { return name }
        let target = Files.target(ofLink: root + "etc/localtime")
        if let place = target.firstRange(of: "zoneinfo/") { return String(target[place.upperBound...]) }
        return text("etc/timezone")
    }

    /// How the machine reaches the network: by the interface of its default route.
    var network: String {
        guard let table = text("proc/net/route") else { return "unknown" }
        let routes = table.split(separator: "\n").dropFirst().map { $0.split(separator: "\t") }
        guard let interface = routes.first(where: { $0.count > 2 && $0[1] == "00000000" })?[0] ?? ipv6DefaultInterface else {
            return "offline"
        }
        let path = "sys/class/net/\(interface)"
        let files = names(path), kind = text("\(path)/uevent") ?? ""
        if files.contains("wireless") || files.contains("phy80211") || kind.contains("DEVTYPE=wlan") { return "wifi" }
        if kind.contains("DEVTYPE=wwan") || interface.hasPrefix("wwan") || interface.hasPrefix("ppp") { return "cellular" }
        return text("\(path)/type") == "1" ? "ethernet" : "unknown"
    }

    // Where there is IPv6 alone: the line of "::/0" ends with the interface's name. The kernel's own says that there is no way, on lo.
    private var ipv6DefaultInterface: Substring? {
        let routes = text("proc/net/ipv6_route")?.split(separator: "\n").map { $0.split(separator: " ") } ?? []
        return routes.first { $0.count > 9 && $0[0].allSatisfy { $0 == "0" } && $0[1] == "00" && $0.last != "lo" }?.last
    }

    private func supplies(_ type: String) -> [String] {
        names("sys/class/power_supply").map { "sys/class/power_supply/\($0)" }.filter { text("\($0)/type") == type }
    }

    /// Percent, of the first battery.
    var battery: Int? {
        supplies("Battery").lazy.compactMap { text("\($0)/capacity").flatMap { Int($0) } }.first.map { max(0, min(100, $0)) }
    }

    /// Whether the battery is charged or full; nil without a battery.
    var isCharging: Bool? { supplies("Battery").lazy.compactMap { text("\($0)/status") }.first.map { $0 == "Charging" || $0 == "Full" } }

    /// Of the warmest zone, degrees Celsius.
    var temperature: Double? {
        names("sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }.compactMap {
            text("sys/class/thermal/\($0)/temp").flatMap { Double($0) }
        }.max().map { $0 / 1000 }
    }
}

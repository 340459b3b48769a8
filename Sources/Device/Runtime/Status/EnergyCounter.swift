internal import Support

/// What the whole machine has taken, where its kernel measures that: RAPL's counters of processors, or what a battery has left.
package struct EnergyCounter: Sendable, Equatable {
    /// Microjoules, by the name of each counter, and where it begins anew.
    private var rapl: [String: (now: Int64, range: Int64)] = [:]
    // Of batteries that are discharging, microjoules that are left.
    private var left: [String: Int64] = [:]

    package static func == (one: Self, other: Self) -> Bool {
        one.left == other.left && one.rapl.mapValues(\.now) == other.rapl.mapValues(\.now)
    }

    /// - Parameter root: of sysfs.
    package static func now(in root: String = "/sys") -> EnergyCounter {
        var counter = EnergyCounter()
        let zones = "\(root)/class/powercap", supplies = "\(root)/class/power_supply"
        // intel-rapl:0 is a package; those with one number more are its parts, and would count twice.
        for name in (try? Files.list(zones)) ?? [] where name.split(separator: ":").count == 2 {
            guard let now = number("\(zones)/\(name)/energy_uj"), let range = number("\(zones)/\(name)/max_energy_range_uj") else {
                continue
            }
            counter.rapl[name] = (now, range)
        }
        for name in (try? Files.list(supplies)) ?? [] where text("\(supplies)/\(name)/status") == "Discharging" {
            let place = "\(supplies)/\(name)"
            if let hours = number("\(place)/energy_now") { // microwatt-hours
                counter.left[name] = hours.multipliedReportingOverflow(by: 3600).partialValue
            } else if let charge = number("\(place)/charge_now"), let voltage = number("\(place)/voltage_now") {
                // microampere-hours and microvolts
                counter.left[name] = Int64(Double(charge) * Double(voltage) * 3600 / 1e6)
            }
        }
        return counter
    }

    /// Joules between two readings; nil where nothing measures them, or a charger was plugged in meanwhile.
    package func joules(since before: EnergyCounter) -> Double? {
        if !rapl.isEmpty {
            var sum: Int64 = 0
            for (name, (now, range)) in rapl {
                guard let earlier = before.rapl[name]?.now else { return nil }
                sum &+= now >= earlier ? now - earlier : now &+ range &- earlier
            }
            return Double(sum) / 1e6
        }
        guard !left.isEmpty, left.keys == before.left.keys else { return nil }
        let taken = before.left.values.reduce(0, &+) &- left.values.reduce(0, &+)
        return taken >= 0 ? Double(taken) / 1e6 : nil
    }

    private static func text(_ path: String) -> String? {
        (try? Files.read(path, limit: 4096)).map { String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace } }
    }

    // Nonnegative, and not so large that hours of it would not fit.
    private static func number(_ path: String) -> Int64? {
        text(path).flatMap { Int64($0) }.flatMap { (0..<Int64.max / 7200).contains($0) ? $0 : nil }
    }
}

internal import Support

/// What the kernel knows of the machine's batteries.
package enum BatteryCapacity {
    /// Of all full batteries together, mWh; nil where there is none.
    ///
    /// - Parameter root: of sysfs.
    package static func milliwattHours(in root: String = "/sys") -> Double? {
        let supplies = "\(root)/class/power_supply"
        func number(_ path: String) -> Double? {
            (try? Files.read(path, limit: 4096)).flatMap { Double(String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace }) }
                .flatMap { $0.isFinite && $0 > 0 && $0 < 1e12 ? $0 : nil }
        }
        let found = ((try? Files.list(supplies)) ?? []).compactMap { name -> Double? in
            let place = "\(supplies)/\(name)"
            if let energy = number("\(place)/energy_full") { return energy / 1000 } // microwatt-hours
            guard let charge = number("\(place)/charge_full"),
                let voltage = number("\(place)/voltage_min_design") ?? number("\(place)/voltage_now")
            else { return nil }
            return charge * voltage / 1e9 // microampere-hours, microvolts
        }
        return found.isEmpty ? nil : found.reduce(0, +)
    }
}

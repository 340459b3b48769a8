internal import Sensing
internal import Settings
internal import Support

extension Examination {
    static func sensor(_ settings: Settings?) -> [Finding] {
        let chosen: SourceSpecification?
        do throws(Fault) {
            chosen = try (settings?.source).map { text throws(Fault) in try SourceSpecification(text) }
        } catch {
            return [.problem("source", Fault(.configuration, error.message, remedy: error.remedy))]
        }
        switch chosen {
        case .simulated: return [.ok("source", "the simulated wearer")]
        case .recording(let path):
            return [
                Files.exists(path) ? .ok("source", "the recording \(path)") : .problem("source", Fault(.noInput, "\(path) does not exist"))
            ]
        case .iio(let device, let uri?): return remote(device, uri)
        case .iio(let device, nil): return kernel() + local(device, isChosen: true, range: settings?.range ?? 0)
        case nil: return kernel() + local(nil, isChosen: false, range: settings?.range ?? 0)
        }
    }

    private static func kernel() -> [Finding] {
        guard Accelerometer.kernelHasIIO else {
            return [
                .warning(
                    "kernel", "Industrial I/O is not loaded",
                    remedy: "sudo modprobe industrialio, and the sensor's driver (see board/boards)")
            ]
        }
        let triggers: Finding =
            Accelerometer.canMakeTriggers
            ? .ok("triggers", "hrtimer triggers can be made")
            : .warning(
                "triggers", "no hrtimer triggers: a sensor without one of its own is polled", remedy: "sudo modprobe iio-trig-hrtimer")
        return [.ok("kernel", "Industrial I/O is there"), triggers]
    }

    private static func remote(_ device: String?, _ uri: String) -> [Finding] {
        do throws(Fault) {
            let found = try Accelerometer.find(uri: uri)
            return found.isEmpty
                ? [.problem("source", Fault(.sensorUnavailable, "\(uri) has no accelerometer"))]
                : [.ok("source", found.map(\.title).joined(separator: ", ") + " at \(uri)")]
        } catch {
            return [.problem("source", error)]
        }
    }

    private static func local(_ device: String?, isChosen: Bool, range: Int) -> [Finding] {
        let found: [Accelerometer]
        do throws(Fault) { found = try Accelerometer.find() } catch { return [.problem("devices", error)] }
        guard !found.isEmpty else {
            let remedy =
                """
                Load the chip's driver (board/boards says which), see: dmesg | grep -i -e iio -e accel. A driver of the input \
                subsystem may hold the chip: ls /sys/class/input
                """
            return [
                isChosen
                    ? .problem(
                        "devices",
                        Fault(
                            .sensorUnavailable, "IIO has no accelerometer\(device.map { ", and \"\($0)\" is wanted" } ?? "")",
                            remedy: remedy))
                    : .warning("devices", "no accelerometer: `gaitway run` plays a simulated wearer", remedy: remedy)
            ]
        }
        let all = Finding.ok("devices", found.map(\.title).joined(separator: ", "))
        guard let chosen = found.first(where: { device.map($0.isCalled) ?? true }) else {
            return [
                all,
                .problem(
                    "sensor",
                    Fault(
                        .sensorUnavailable, "no accelerometer \"\(device ?? "")\"",
                        remedy: "There are: \(found.map(\.title).joined(separator: ", ")). Set: source = \"iio:\(found[0].name)\"")),
            ]
        }
        return [all] + examine(chosen) + [measures(chosen, range)].compactMap(\.self)
    }

    private static func examine(_ sensor: Accelerometer) -> [Finding] {
        var findings: [Finding] = []
        if let fault = sensor.missingScale {
            findings.append(.problem("sensor", Fault(fault.code, "\(sensor.title): \(fault.message)", remedy: fault.remedy)))
        }
        findings += sensor.problems.filter { $0 != sensor.missingScale }.map {
            .warning("sensor", "\(sensor.title): \($0.message)", remedy: $0.remedy)
        }
        let forbidden = sensor.forbidden
        if forbidden.isEmpty {
            findings.append(.ok("permissions", "\(sensor.title) may be read and set up"))
        } else {
            findings.append(
                .problem(
                    "permissions",
                    Fault(
                        .permission, "no permission for \(forbidden.joined(separator: ", "))",
                        remedy: Accelerometer.permissionRemedy)))
        }
        if sensor.isBusy {
            findings.append(busy(sensor))
        } else if let strength = sensor.strength {
            let text = "\(sensor.title) measures \(Decimals.text(strength, places: 2)) g"
            findings.append(
                (0.85...1.15).contains(strength)
                    ? .ok("scale", text)
                    : .warning(
                        "scale", "\(text); lying still it should be 1.00 g", remedy: "cat /sys/bus/iio/devices/\(sensor.id)/in_accel*scale*"
                    ))
        }
        if let rate = sensor.bufferedRate, sensor.isBuffered {
            let text =
                "\(Decimals.text(rate, over: 1000, places: 1)) Hz from \(sensor.trigger.isEmpty ? "the chip" : "trigger \(sensor.trigger)")"
            findings.append(
                SamplingRates.usable.contains(rate)
                    ? .ok("rate", text)
                    : .warning(
                        "rate", "\(text); 10 to 400 Hz can be used",
                        remedy: "echo 50 > /sys/bus/iio/devices/\(sensor.id)/sampling_frequency"))
        }
        return findings
    }

    private static func measures(_ sensor: Accelerometer, _ wanted: Int) -> Finding? {
        guard wanted > 0 else { return nil }
        guard let range = sensor.range else {
            return .ok("range", "\(sensor.title): its driver does not say how far it measures; falls need +-\(wanted) g")
        }
        let text = "\(sensor.title) measures +-\(Decimals.text(range, places: 1)) g"
        guard !sensor.reaches(wanted) else { return .ok("range", text) }
        let widened = sensor.widened(to: wanted), locked = widened == sensor ? [] : sensor.lockedScales
        guard locked.isEmpty else {
            return .warning("range", "\(text); no permission for \(locked.joined(separator: ", "))", remedy: Accelerometer.permissionRemedy)
        }
        guard widened.reaches(wanted) else {
            return .warning(
                "range", "\(sensor.title): \(widened.shortRange(of: wanted))",
                remedy: "Its driver offers nothing wider in steps of at most 8 mg. For falls take a sensor that measures +-8 g.")
        }
        return .ok("range", "\(text); the next capture sets it to +-\(Decimals.text(widened.range ?? 0, places: 1)) g")
    }

    // Captured by gaitway itself is as it should be. Only root sees who else it is.
    private static func busy(_ sensor: Accelerometer) -> Finding {
        let holders = sensor.holders, names = holders.joined(separator: ", ")
        if holders.contains(where: { $0.hasPrefix("gaitway ") }) { return .ok("busy", "\(sensor.title) is being read by \(names)") }
        if holders.isEmpty && serviceIsRunning { return .ok("busy", "\(sensor.title) is being read, it seems by the gaitway service") }
        return .problem(
            "busy",
            Fault(
                .sensorUnavailable, "\(sensor.title) is being captured by \(holders.isEmpty ? "another program" : names)",
                remedy: "sudo systemctl stop iio-sensor-proxy iiod"))
    }
}

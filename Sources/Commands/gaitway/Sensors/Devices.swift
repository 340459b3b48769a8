import ArgumentParser
import Sensing
import Support

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "devices", abstract: "List accelerometers and what stands in their way.")

    @Option(help: ArgumentHelp("Look on another machine: libiio's address, as ip:HOST.", valueName: "address"))
    var uri: String?
    @OptionGroup var format: OutputOptions

    func run() throws {
        let found = try Accelerometer.find(uri: uri)
        for device in found { try Console.print(format.json ? json(device).text : text(device)) }
        guard found.isEmpty else { return }
        Console.note(
            """
            gaitway: IIO has no accelerometer.
              Is one wired and its driver loaded? See: ls /sys/bus/iio/devices; dmesg | grep -i -e iio -e accel
              A driver of the input subsystem may hold the chip instead: ls /sys/class/input
              Without a sensor: gaitway run --source simulated
            """)
    }

    private func way(_ device: Accelerometer) -> String {
        if device.isBuffered { return "through its buffer" }
        return device.hasBuffer ? "through its buffer where a trigger can be made for it, else polled at 50 Hz" : "polled at 50 Hz"
    }

    private func text(_ device: Accelerometer) -> String {
        var rows = [
            ("chip", device.name + (device.label.isEmpty ? "" : " (\(device.label))")),
            ("read", way(device)),
            ("rate", device.rate.isEmpty ? "not told" : "\(device.rate) Hz"),
            (
                "trigger",
                device.trigger.isEmpty ? "none" : device.trigger + (device.triggerRate.isEmpty ? "" : ", \(device.triggerRate) Hz")
            ),
            (
                "scale",
                Set(device.scales).count == 1
                    ? "\(device.scales[0]) m/s2 per count" : device.scales.joined(separator: ", ") + " m/s2 per count"
            ),
        ]
        if let range = device.range { rows.append(("range", "+-\(Decimals.text(range, places: 1)) g")) }
        if device.offsets.contains(where: { !$0.isEmpty && $0 != "0" }) {
            rows.append(("offset", device.offsets.joined(separator: ", ") + " counts"))
        }
        if !device.mount.isEmpty { rows.append(("mount", device.mount)) }
        var lines = [Console.styled(device.id, .bold)] + rows.map { "  \($0.0.padded(8)) \($0.1)" }
        for problem in device.problems {
            lines.append("  " + Console.styled("note".padded(8), .yellow) + " \(problem.message)")
            if let remedy = problem.remedy { lines.append("  \("".padded(8)) \(remedy)") }
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ device: Accelerometer) -> JSON {
        .object([
            ("id", .string(device.id)), ("name", .string(device.name)), ("label", .string(device.label)),
            ("buffered", .bool(device.isBuffered)), ("rate", .string(device.rate)), ("trigger", .string(device.trigger)),
            ("trigger_rate", .string(device.triggerRate)), ("scale", .array(device.scales.map(JSON.string))),
            ("range_g", device.range.map { JSON.number(Decimals.text($0, places: 3)) } ?? .null),
            ("offset", .array(device.offsets.map(JSON.string))), ("mount_matrix", .string(device.mount)),
            (
                "problems",
                .array(
                    device.problems.map { .object([("problem", .string($0.message)), ("remedy", $0.remedy.map(JSON.string) ?? .null)]) })
            ),
        ])
    }
}

import Settings
import ArgumentParser
import Support
import Upload

struct UploadStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "How much waits, how old it is, and how much still fits.")

    @OptionGroup var options: UploadOptions

    func run() throws {
        let plan = try UploadPlan(try options.place.load()), status = try plan.spool().status()
        try Console.print(options.format.json ? json(plan, status).text : text(plan, status))
    }

    private func text(_ plan: UploadPlan, _ status: SpoolStatus) -> String {
        var lines = [
            ("recording", plan.isEnabled ? "on: \(plan.content.rawValue), as \(plan.user)" : "off (upload.enabled)"),
            ("goes to", plan.bucket ?? "nowhere yet (upload.bucket)"),
        ]
        lines.append(
            (
                "waiting",
                status.files == 0
                    ? "nothing"
                    : "\(Units.files(status.files)), \(Units.megabytes(status.bytes)), the oldest \(Units.duration(status.age ?? 0)) old"
            ))
        lines.append(
            (
                "fits",
                status.hours.map { "\(Units.megabytes(status.room)) more, \(Decimals.text($0, places: 1)) hours" }
                    ?? "\(Units.megabytes(status.room)) more"
            ))
        if status.refused > 0 { lines.append(("refused", "\(Units.files(status.refused)) (gaitway upload retry)")) }
        if status.torn > 0 { lines.append(("torn", "\(status.torn) pieces in \(plan.directory)/torn")) }
        if status.counts.droppedFiles > 0 {
            lines.append(
                ("dropped", "\(Units.files(status.counts.droppedFiles)), \(Units.megabytes(status.counts.droppedBytes)), by the limits"))
        }
        if status.counts.lostWindows > 0 { lines.append(("lost", "\(status.counts.lostWindows) windows that the disk did not take")) }
        if let label = UserLabel.current(in: plan.directory) {
            lines.append(("label", "\(label.label) until \(LabelText.clock(label.until))"))
        }
        return lines.map { "\($0.0.padded(9))  \($0.1)" }.joined(separator: "\n")
    }

    private func json(_ plan: UploadPlan, _ status: SpoolStatus) -> JSON {
        .object([
            ("enabled", .bool(plan.isEnabled)), ("user", .string(plan.user)), ("bucket", plan.bucket.map { .string($0) } ?? .null),
            ("spool", .string(plan.directory)),
            ("files", .integer(status.files)), ("bytes", .number("\(status.bytes)")),
            ("oldest_seconds", status.age.map { .number("\($0)") } ?? .null),
            ("room_bytes", .number("\(status.room)")), ("hours_left", status.hours.map { .number(Decimals.text($0, places: 2)) } ?? .null),
            ("refused", .integer(status.refused)), ("torn", .integer(status.torn)), ("dropped_files", .integer(status.counts.droppedFiles)),
            ("dropped_bytes", .number("\(status.counts.droppedBytes)")), ("lost_windows", .integer(status.counts.lostWindows)),
            ("label", UserLabel.current(in: plan.directory).map { .string($0.label) } ?? .null),
        ])
    }
}

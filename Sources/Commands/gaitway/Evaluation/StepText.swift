import Evaluation
import Support

extension StepScore {
    /// Placements with their errors, for people.
    var text: String {
        var lines = ["\("placement".padded(16))  recordings  error, %"]
        for placement in placements {
            let count = recordings.filter { $0.placement == placement }.count
            lines.append("\(placement.padded(16))  \("\(count)".aligned(10))  \(Decimals.text(error(of: placement), places: 1).aligned(8))")
        }
        lines.append("\("all".padded(16))  \("\(recordings.count)".aligned(10))  \(Decimals.text(error(), places: 1).aligned(8))")
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        .object([
            ("error_percent", .number(Decimals.text(error(), places: 3))),
            ("placements", .object(placements.map { ($0, .number(Decimals.text(error(of: $0), places: 3))) })),
            (
                "recordings",
                .array(
                    recordings.map {
                        .object([
                            ("name", .string($0.name)), ("person", .string($0.person)), ("placement", .string($0.placement)),
                            ("counted", .integer($0.counted)), ("true", .integer($0.truth)),
                        ])
                    })
            ),
        ])
    }
}

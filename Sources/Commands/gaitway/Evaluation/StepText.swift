import Evaluation
import Support

extension StepScore {
    /// Placements with their errors, for people.
    var text: String {
        func row(_ name: String, _ count: Int, _ placement: String?) -> String {
            "\(name.padded(16))  \("\(count)".aligned(10))  \(Decimals.text(error(of: placement), places: 1).aligned(8))"
                + "  \(Decimals.text(agreement(of: placement), places: 3).aligned(8))"
        }
        var lines: [String] = []
        if !recordings.isEmpty {
            lines.append("\("placement".padded(16))  recordings  error, %  instants")
            for placement in placements { lines.append(row(placement, recordings.count { $0.placement == placement }, placement)) }
            lines.append(row("all", recordings.count, nil))
        }
        if !rest.isEmpty {
            lines.append("\("without steps".padded(24))       hours  counted an hour")
            for (name, part) in rest.sorted(by: { $0.key < $1.key }) + [(key: "all", value: allRest)] {
                lines.append(
                    """
                    \(name.padded(24))  \(Decimals.text(part.hours, places: 2).aligned(10))  \
                    \(Decimals.text(part.perHour, places: 1).aligned(15))
                    """)
            }
        }
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        .object([
            ("error_percent", recordings.isEmpty ? .null : .number(Decimals.text(error(), places: 3))),
            ("placements", .object(placements.map { ($0, .number(Decimals.text(error(of: $0), places: 3))) })),
            ("instants_f1", recordings.isEmpty ? .null : .number(Decimals.text(agreement(), places: 4))),
            ("instants_f1_by_placement", .object(placements.map { ($0, .number(Decimals.text(agreement(of: $0), places: 4))) })),
            ("false_steps_per_hour", rest.isEmpty ? .null : .number(Decimals.text(allRest.perHour, places: 2))),
            (
                "without_steps",
                .object(
                    rest.sorted { $0.key < $1.key }.map {
                        (
                            $0.key,
                            .object([("steps", .integer($0.value.steps)), ("hours", .number(Decimals.text($0.value.hours, places: 3)))])
                        )
                    })
            ),
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

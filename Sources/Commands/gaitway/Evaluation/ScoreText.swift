import Evaluation
import Support

/// Scores as `gaitway evaluate` prints them.
enum ScoreText {
    static func json(_ matrix: ConfusionMatrix) -> [(String, JSON)] {
        [
            ("windows", .integer(matrix.windows)), ("accuracy", share(matrix.accuracy)),
            ("labels", .array(matrix.labels.map(JSON.string))),
            ("confusion", .array(matrix.counts.map { .array($0.map(JSON.integer)) })),
            ("precision", .array(matrix.labels.indices.map { share(matrix.precision($0)) })),
            ("recall", .array(matrix.labels.indices.map { share(matrix.recall($0)) })),
        ]
    }

    static func json(_ score: RecordingScore) -> [(String, JSON)] {
        func shares(_ shares: [RecordingScore.Share]) -> JSON { .object(shares.map { ($0.name, json($0)) }) }
        var entries = json(score.windows) + [("events", json(score.events)), ("people", shares(score.people))]
        entries += [("placements", shares(score.placements)), ("sets", shares(score.sets))]
        entries.append(
            (
                "confusions",
                .object(score.byPlacement.map { ($0.placement, .array($0.windows.counts.map { .array($0.map(JSON.integer)) })) })
            ))
        if let unoriented = score.unoriented { entries.append(("unoriented", share(unoriented.share))) }
        if let asked = score.asked { entries.append(("asked", share(asked.share))) }
        if let placed = score.placed {
            func counts(_ found: [String: Int]) -> JSON { .object(found.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }) }
            entries.append(("placed", json(placed)))
            entries.append(("places", .object(score.places.sorted { $0.key < $1.key }.map { ($0.key, counts($0.value)) })))
        }
        entries.append(("calibration", json(score.reliability)))
        if score.foreign.all > 0 { entries.append(("unknown", json(score.foreign, score.detection))) }
        if !score.misscaled.isEmpty { entries.append(("misscaled", .array(score.misscaled.map(JSON.string)))) }
        if !score.trainedOn.isEmpty { entries.append(("trained_on", .array(score.trainedOn.map(JSON.string)))) }
        return entries
    }

    private static func json(_ reliability: Reliability) -> JSON {
        .object([
            ("expected_error", share(reliability.expectedError)),
            (
                "bins",
                .array(
                    reliability.bins.map {
                        .object([
                            ("confidence", share($0.confidence)), ("accuracy", share($0.accuracy)), ("windows", .integer($0.windows)),
                        ])
                    })
            ),
        ])
    }

    private static func json(_ shown: RecordingScore.Share, _ detection: Detection?) -> JSON {
        .object([
            ("accuracy", share(shown.share)), ("windows", .integer(shown.all)),
            ("auroc", share(detection?.area)), ("fpr95", share(detection?.falseAt95)),
        ])
    }

    private static func json(_ part: RecordingScore.Share) -> JSON {
        .object([("accuracy", share(part.share)), ("windows", .integer(part.all))])
    }

    private static func json(_ events: EventScore) -> JSON {
        .object([
            ("truths", .integer(events.truths)), ("shown", .integer(events.shown)), ("precision", share(events.precision)),
            ("recall", share(events.recall)),
            ("median_delay", events.medianDelay.map { .number(Decimals.text($0, over: 50, places: 2)) } ?? .null),
        ])
    }

    static func text(_ score: RecordingScore) -> String {
        var lines = [text(score.windows)]
        for (name, parts) in [("set", score.sets), ("placement", score.placements)] where parts.count > 1 {
            lines.append("")
            lines += parts.map { part in
                let title = "\(name) \(Printable.text(part.name).padded(16))"
                return "\(title) \(Units.percent(part.share).aligned(7)) of \(part.all) windows"
            }
        }
        if let worst = score.people.min(by: { $0.share < $1.share }), score.people.count > 1 {
            lines.append("worst      person \(Printable.text(worst.name)): \(Units.percent(worst.share)) of \(worst.all) windows")
        }
        if let unoriented = score.unoriented {
            lines.append("unoriented \(Units.percent(unoriented.share)) of the windows: it was not known which way is up")
        }
        if let asked = score.asked { lines.append("asked      the larger network, of \(Units.percent(asked.share)) of the windows") }
        if let placed = score.placed { lines.append("placement  found in \(Units.percent(placed.share)) of \(placed.all) recordings") }
        lines.append("confidence \(Units.percent(score.reliability.expectedError)) off in the mean (expected calibration error)")
        if let detection = score.detection {
            lines.append(
                """
                unknown    \(Units.percent(score.foreign.share)) of \(score.foreign.all) windows of activities that it does not know; \
                AUROC \(Decimals.text(detection.area, places: 3)), FPR95 \(Units.percent(detection.falseAt95))
                """)
        }
        return lines.joined(separator: "\n") + "\n" + text(score.events)
    }

    private static func text(_ events: EventScore) -> String {
        let delay = events.medianDelay.map { Decimals.text($0, over: 50, places: 2) + " s" } ?? "-"
        return """

            after smoothing, by stretches of one activity
            found      \(events.recall.map(Units.percent) ?? "-") of \(events.truths)
            right      \(events.precision.map(Units.percent) ?? "-") of \(events.shown) that were shown
            delay      \(delay) from a change to the changed decision, median
            """
    }

    private static func share(_ value: Double?) -> JSON { value.map { .number(Decimals.text($0, places: 4)) } ?? .null }

    static func text(_ matrix: ConfusionMatrix) -> String {
        let width = matrix.labels.map(\.count).max() ?? 0
        var lines = ["accuracy \(Units.percent(matrix.accuracy)) of \(matrix.windows) windows", ""]
        lines.append(
            "true \\ decided".padded(width) + matrix.labels.indices.map { "\($0 + 1)".aligned(6) }.joined() + "  precision   recall")
        for (truth, label) in matrix.labels.enumerated() {
            let cells = matrix.counts[truth].enumerated().map { decided, count in
                let cell = "\(count)".aligned(6)
                return decided == truth ? Console.styled(cell, .green) : count == 0 ? Console.styled(cell, .dim) : cell
            }
            let shares = [matrix.precision(truth), matrix.recall(truth)].map { ($0.map(Units.percent) ?? "-").aligned(9) }
            lines.append(label.padded(width) + cells.joined() + "  " + shares.joined())
        }
        return lines.joined(separator: "\n")
    }
}

import Evaluation
import Recognition
import Support
import Training

/// How well falls are found, for people and for programs.
enum FallText {
    private static func number(_ value: Double, _ places: Int = 2) -> String { Decimals.text(value, places: places) }

    static func text(_ score: FallScore) -> String {
        var lines: [String] = []
        if score.falls.trials > 0 {
            lines.append(
                "falls        \(score.falls.withAlarm) of \(score.falls.trials) found, \(number(score.falls.found)) %"
                    + (score.delay.map { "; the alarm \(number($0)) s after the blow, in the median" } ?? ""))
        }
        if score.daily.trials > 0 {
            lines.append(
                """
                daily life   \(score.daily.trials - score.daily.withAlarm) of \(score.daily.trials) trials silent, \
                \(number(score.daily.silent)) %; \(score.daily.alarms) false alarms in \(number(score.daily.hours)) h
                """)
        }
        if score.endToEnd.hours > 0 {
            lines.append(
                """
                end to end   \(score.endToEnd.alarms) false alarms in \(number(score.endToEnd.hours)) h, \
                \(number(score.endToEnd.perHour)) an hour
                """)
        }
        if score.gaits.hours > 0 {
            lines.append("gait         \(score.gaits.alarms) false alarms in \(number(score.gaits.hours)) h of walking, stairs and running")
        }
        for (place, part) in score.dailyByPlace.sorted(by: { $0.key < $1.key }) {
            lines.append("  \(place.padded(28)) \(part.alarms) in \(number(part.hours)) h")
        }
        return lines.joined(separator: "\n")
    }

    static func json(_ score: FallScore) -> JSON {
        func part(_ part: FallScore.Part) -> JSON {
            .object([
                ("trials", .integer(part.trials)), ("with_alarm", .integer(part.withAlarm)), ("alarms", .integer(part.alarms)),
                ("hours", .number(number(part.hours, 4))), ("alarms_per_hour", .number(number(part.perHour, 4))),
            ])
        }
        return .object([
            ("found", score.falls.trials > 0 ? .number(number(score.falls.found / 100, 4)) : .null),
            ("silent", score.daily.trials > 0 ? .number(number(score.daily.silent / 100, 4)) : .null),
            ("false_alarms_per_hour", score.endToEnd.hours > 0 ? .number(number(score.endToEnd.perHour, 4)) : .null),
            ("delay_seconds", score.delay.map { .number(number($0)) } ?? .null), ("falls", part(score.falls)), ("daily", part(score.daily)),
            ("end_to_end", part(score.endToEnd)), ("gait", part(score.gaits)),
            ("daily_by_placement", .object(score.dailyByPlace.sorted { $0.key < $1.key }.map { ($0.key, part($0.value)) })),
            ("trained_on", .array(score.trainedOn.map(JSON.string))),
        ])
    }

    /// - Parameter score: of the people that were left out.
    static func text(_ result: FallTrainer.Result, _ score: FallScore?, _ output: String) -> String {
        """
        learnt from  \(result.blows) blows, \(result.falls) of them falls
        in fifths    \(number(result.found)) % of the falls found, \(number(result.silent)) % of the daily trials silent, \
        \(number(result.perHour)) false alarms an hour; \(result.gaitAlarms) in \(number(result.gaitHours, 1)) h of other sets' walking
        written to   \(output) (\(result.model.trees) trees, \(result.model.bytes) bytes)
        """ + (score.map { "\nof the people left out:\n\(text($0))" } ?? "")
    }

    static func json(_ result: FallTrainer.Result, _ score: FallScore?, _ output: String) -> JSON {
        .object([
            ("blows", .integer(result.blows)), ("falls", .integer(result.falls)), ("found", .number(number(result.found / 100, 4))),
            ("silent", .number(number(result.silent / 100, 4))), ("false_alarms_per_hour", .number(number(result.perHour, 4))),
            ("gait_alarms", .integer(result.gaitAlarms)), ("gait_hours", .number(number(result.gaitHours))),
            ("trees", .integer(result.model.trees)), ("bytes", .integer(result.model.bytes)), ("left_out", score.map { json($0) } ?? .null),
            ("output", .string(output)),
        ])
    }
}

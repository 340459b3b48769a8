import Support
import Training

/// What `gaitway personalise` prints.
enum PersonaliseText {
    static func json(_ result: Personalisation.Result, _ path: String) -> JSON {
        func share(_ value: Double) -> JSON { .number(Decimals.text(value, places: 4)) }
        return .object([
            ("windows", .object(result.windows.map { ($0.label, .integer($0.count)) })),
            ("unknown", .array(result.foreign.map(JSON.string))),
            ("own", .object([("before", share(result.before)), ("after", share(result.after))])),
            ("others", .object([("before", share(result.othersBefore)), ("after", share(result.othersAfter))])),
            ("share", share(result.share)), ("output", .string(path)),
        ])
    }

    static func text(_ result: Personalisation.Result, _ path: String) -> String {
        var lines = result.windows.map { "learnt from  \($0.count) windows of \($0.label)" }
        if !result.foreign.isEmpty {
            lines.append("left out     \(result.foreign.joined(separator: ", ")): not the model's; gaitway train --from teaches it more")
        }
        lines.append("these right  \(Units.percent(result.before)) before, \(Units.percent(result.after)) after")
        lines.append(
            "others       \(Units.percent(result.othersBefore)) before, \(Units.percent(result.othersAfter)) after, of the model's examples"
        )
        if result.share == 0 { lines.append("nothing was changed: no change served this person without harm to the examples of others") }
        lines.append("written to   \(path)")
        return lines.joined(separator: "\n")
    }
}

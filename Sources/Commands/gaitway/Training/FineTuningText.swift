import Evaluation
import NeuralNetwork
import Support
import Training

/// What `gaitway train --from` prints.
enum FineTuningText {
    // By how much the share of the model's own examples may fall before it is said what that means.
    private static let muchLost = 0.02

    static func json(_ result: FineTuning.Result, _ path: String) -> JSON {
        func share(_ value: Double?) -> JSON { value.map { .number(Decimals.text($0, places: 4)) } ?? .null }
        return .object([
            ("labels", .array(result.network.labels.map(JSON.string))), ("added", .array(result.added.map(JSON.string))),
            ("windows", .integer(result.windows)), ("exemplars", .integer(result.exemplars)),
            ("others_before", share(result.kept?.before)), ("others_after", share(result.kept?.after)),
            ("accuracy", share(result.fixed.accuracy)), ("output", .string(path)),
        ])
    }

    static func text(_ result: FineTuning.Result, _ path: String) -> String {
        let added = result.added.isEmpty ? "no new activity" : result.added.joined(separator: ", ")
        var lines = [
            "learnt       \(added), from \(result.windows) windows beside \(result.exemplars) examples of the model's own",
            "left out     \(result.fixed.windows) windows of the recordings' last parts: \(Units.percent(result.fixed.accuracy)) right",
        ]
        if let (before, after) = result.kept {
            lines.append("others       \(Units.percent(before)) before, \(Units.percent(after)) after, of the model's examples")
        }
        lines.append("written to   \(path) (\(result.network.labels.count) activities)")
        return lines.joined(separator: "\n")
    }

    /// Where others lose by it.
    static func warning(_ result: FineTuning.Result) -> String? {
        guard let (before, after) = result.kept, after < before - muchLost else { return nil }
        return """
            gaitway: warning: of the model's own examples \(Units.percent(after)) are right after it, \(Units.percent(before)) before: \
            other people are decided worse by this model. Record with the sensor worn as the model knows it, or use \
            `gaitway personalise`
            """
    }
}

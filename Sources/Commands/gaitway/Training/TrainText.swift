import Evaluation
import NeuralNetwork
import Support
import Training

/// How a training shows its progress and what came of it.
extension Train {
    func show(_ progress: Trainer.Progress, elapsed: Duration) {
        let share = Double(progress.step) / Double(progress.steps)
        let left = Double(elapsed.components.seconds) * (1 - share) / share
        let filled = Int(share * 30)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        Console.progress(
            """
            [\(bar)] epoch \(progress.step)/\(progress.steps)\(progress.accuracy.map { ", validation \(Units.percent($0))" } ?? ""), \
            \(Int(left.rounded())) s left
            """
        )
    }

    func text(_ result: Trainer.Result, _ output: String) -> String {
        let chosen = result.validation.isEmpty ? "" : ", chosen on subjects \(result.validation.map(String.init).joined(separator: ", "))"
        // These are drawn again and again.
        let drawn = result.network.inputKind == .worn ? " drawn at random" : ""
        var lines = ["trained on   \(result.windows) windows\(drawn); \(result.epochs) of \(result.ofEpochs) epochs\(chosen)"]
        if leaveOut.names.isEmpty { lines.append("labels       \(result.network.labels.joined(separator: ", "))") }
        if let fixed = result.fixed {
            lines.append(
                """
                left out     \(fixed.windows) windows of \
                \(leaveOut.names.isEmpty ? "the recordings' last parts" : "subjects \(leaveOut.description)")
                """
            )
            if let float = result.floatAccuracy { lines.append("float        \(Units.percent(float))") }
            lines.append("fixed point  \(Units.percent(fixed.accuracy)) with \(bits)-bit weights")
        }
        lines.append("written to   \(output) (\(result.network.bytes) bytes of weights)")
        return lines.joined(separator: "\n")
    }

    func json(_ result: Trainer.Result, _ output: String) -> JSON {
        .object([
            ("windows", .integer(result.windows)), ("epochs", .integer(result.epochs)),
            ("validation", .array(result.validation.map(JSON.integer))),
            ("left_out", .array(leaveOut.sorted.map { Int($0).map(JSON.integer) ?? .string($0) })),
            ("float_accuracy", result.floatAccuracy.map { .number(Decimals.text($0, places: 4)) } ?? .null),
            ("accuracy", result.fixed.map { .number(Decimals.text($0.accuracy, places: 4)) } ?? .null),
            ("confusion", result.fixed.map { .array($0.counts.map { .array($0.map(JSON.integer)) }) } ?? .null),
            ("labels", .array(result.network.labels.map(JSON.string))), ("misscaled", .array(result.misscaled.map(JSON.string))),
            ("lost", .array(result.lost.map(JSON.string))), ("output", .string(output)),
        ])
    }
}

import Evaluation
import NeuralNetwork
import Support
import Training

/// The paper's table, for people and for programs.
extension PaperTable {
    var text: String {
        var lines = [
            """
            \(shape) on raw windows, learnt from \(learntFrom) people, measured on \
            \(leftOut.map(String.init).joined(separator: ", ")): \(float.windows) windows
            """,
            "",
            Console.styled("weights    accuracy  to float     bytes", .dim),
            "float32  \(Units.percent(float.accuracy).aligned(10)) \("".aligned(9)) \("\(sweep.floatBytes)".aligned(9))",
        ]
        for step in sweep.fixed.reversed() {
            let change = step.matrix.accuracy - float.accuracy, sign = change > 0 ? "+" : ""
            lines.append(
                """
                \("\(step.bits) bits".padded(8)) \(Units.percent(step.matrix.accuracy).aligned(10)) \
                \((sign + Decimals.text(change * 100, places: 1)).aligned(9)) \("\(step.network.bytes)".aligned(9))
                """
            )
        }
        lines += [
            """
            the paper, 17 features on its own windows: \(Units.percent(Self.paperFloat)) in float, \(Units.percent(Self.paperFixed)) \
            with 8 bits
            """,
            "",
        ]
        lines.append(Console.styled("build    predictions/s  to float  paper's  instructions", .dim))
        for build in builds {
            let ratio = Decimals.text(build.perSecond / builds[0].perSecond, places: 2),
                paper = Decimals.text(build.paperPerSecond / builds[0].paperPerSecond, places: 2)
            let instructions = build.instructions.map { Decimals.text($0, places: 0) } ?? "no counter"
            lines.append(
                """
                \(build.name.padded(8)) \(Decimals.text(build.perSecond, places: 0).aligned(13)) \(ratio.aligned(9)) \
                \(paper.aligned(8)) \(instructions.aligned(13))
                """
            )
        }
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        func matrix(_ matrix: ConfusionMatrix) -> JSON { .array(matrix.counts.map { .array($0.map(JSON.integer)) }) }
        func number(_ value: Double, _ places: Int) -> JSON { .number(Decimals.text(value, places: places)) }
        return .object([
            ("network", .string(shape)), ("left_out", .array(leftOut.map(JSON.integer))), ("windows", .integer(float.windows)),
            ("labels", .array(float.labels.map(JSON.string))),
            (
                "float",
                .object([("accuracy", number(float.accuracy, 4)), ("bytes", .integer(sweep.floatBytes)), ("confusion", matrix(float))])
            ),
            (
                "fixed",
                .array(
                    sweep.fixed.map { step in
                        .object([
                            ("bits", .integer(step.bits)), ("accuracy", number(step.matrix.accuracy, 4)),
                            ("bytes", .integer(step.network.bytes)), ("confusion", matrix(step.matrix)),
                        ])
                    })
            ),
            (
                "builds",
                .array(
                    builds.map { build in
                        .object([
                            ("name", .string(build.name)), ("predictions_per_second", number(build.perSecond, 1)),
                            ("ratio", number(build.perSecond / builds[0].perSecond, 3)),
                            ("paper_ratio", number(build.paperPerSecond / builds[0].paperPerSecond, 3)),
                            ("instructions", build.instructions.map { number($0, 0) } ?? .null),
                        ])
                    })
            ),
        ])
    }
}

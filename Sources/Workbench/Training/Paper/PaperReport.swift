internal import NeuralNetwork
internal import Charts
internal import Evaluation
internal import Recognition
internal import Sensing
internal import Support

/// The paper's table as one HTML file that needs nothing else: for a phone, a screen and a printout.
package struct PaperReport {
    private let table: PaperTable

    package init(table: PaperTable) { self.table = table }

    private static let float = "#30638e", fixed = "#d1495b", paper = "#9aa5b1"

    package var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Activity recognition in fixed point</title><style>
        body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 0 auto; padding: 1rem; }
        h1 { font-size: 1.5rem; margin: 0.5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
        svg { width: 100%; max-width: 44rem; height: auto; } .wide { overflow-x: auto; } .pair { display: grid; gap: 1.5rem; \
        grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); }
        .wide svg { min-width: 40rem; max-width: none; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: \
        100%; }
        th, td { padding: 0.25rem 0.5rem; text-align: right; border-bottom: 1px solid #e4e4e4; } th:first-child, td:first-child { \
        text-align: left; }
        th { font-weight: 600; font-size: 0.85rem; color: #555; } .confusion td { text-align: center; } .confusion td:first-child { \
        text-align: left; font-size: 0.8rem; }
        .note { color: #555; font-size: 0.9rem; }
        @media (max-width: 34rem) { th, td { padding: 0.25rem 0.3rem; } .confusion td, .confusion th { padding: 0.2rem 0.15rem; \
        font-size: 0.75rem; } }
        @media print { body { max-width: none; font-size: 11pt; } h2 { break-after: avoid; } svg, table { break-inside: avoid; } * { \
        print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
        </style></head><body>
        <h1>Activity recognition in fixed point</h1>
        <p>A \(table.shape) network on raw accelerometer windows of \(Decimals.text(table.network.window, over: 50, places: 2)) s, learnt \
        from \(table.learntFrom) people and measured on \
        \(table.float.windows) windows of others (\(table.leftOut.map(String.init).joined(separator: ", "))). Beside it, what Anguita et \
        al. report
        in &ldquo;Energy efficient smartphone-based activity recognition using fixed-point arithmetic&rdquo; (2013) for their own \
        network, windows and phone.</p>
        <h2>Accuracy by bits of a weight</h2>\(sweep)\(accuracies)
        <h2>Predictions a second</h2>\(speeds)
        <h2>What is taken for what</h2><div \
        class="pair"><div>\(confusion("float32", table.float))</div><div>\(confusion("8 bits", table.eight.matrix))</div></div>
        <h2>Recall of each activity</h2>\(recalls)
        <h2>Recording \(table.timeline.name)</h2><div class="wide">\(timeline)</div>
        <p class="note">Above what the wearer did (white where nobody labelled it), below what was shown after smoothing, with 8 bits.</p>
        </body></html>

        """
    }

    private var sweep: String {
        let fixed = table.sweep.fixed.map { (x: Double($0.bits), y: $0.matrix.accuracy * 100) }, ends = [2.0, 16.0]
        return LineChart.svg(
            [
                .init(name: "fixed point", colour: Self.fixed, points: fixed),
                .init(name: "float32", colour: Self.float, points: ends.map { ($0, table.float.accuracy * 100) }),
                .init(name: "paper, 8 bits", colour: Self.paper, points: [(8, PaperTable.paperFixed * 100)]),
            ], horizontal: "bits of a weight", unit: "%", range: 60...100
        ).text
    }

    private var accuracies: String {
        let points = { (accuracy: Double, float: Double) in Decimals.text((accuracy - float) * 100, places: 1) }
        let own = table.sweep.fixed.reversed().map { step in
            [
                "\(step.bits) bits", Units.percent(step.matrix.accuracy), points(step.matrix.accuracy, table.float.accuracy),
                "\(step.network.bytes)",
            ]
        }
        let rows =
            [["float32", Units.percent(table.float.accuracy), "", "\(table.sweep.floatBytes)"]] + own + [
                ["the paper, float", Units.percent(PaperTable.paperFloat), "", ""],
                ["the paper, 8 bits", Units.percent(PaperTable.paperFixed), points(PaperTable.paperFixed, PaperTable.paperFloat), ""],
            ]
        return Self.table(["weights", "accuracy", "points to float", "bytes"], rows)
    }

    private var speeds: String {
        let float = table.builds[0]
        let rows = table.builds.map { build in
            [
                build.name, Decimals.text(build.perSecond, places: 0), Decimals.text(build.perSecond / float.perSecond, places: 2),
                Decimals.text(build.paperPerSecond, places: 0), Decimals.text(build.paperPerSecond / float.paperPerSecond, places: 2),
                build.instructions.map { Decimals.text($0, places: 0) } ?? "no counter",
            ]
        }
        let heads = ["build", "here, a second", "to float", "paper's phone, a second", "to float", "instructions each"]
        return """
            <div class="wide">\(Self.table(heads, rows))</div>
            <p class="note">All with this machine's vector instructions. The paper's int32 runs 6.84 times as fast as its float32.</p>
            """
    }

    private func confusion(_ name: String, _ matrix: ConfusionMatrix) -> String {
        let head = matrix.labels.indices.map { "<th>\($0 + 1)</th>" }.joined()
        let rows = matrix.labels.enumerated().map { truth, label in
            let total = max(1, matrix.counts[truth].reduce(0, +))
            let cells = matrix.counts[truth].enumerated().map { decided, count in
                let share = Double(count) / Double(total), opacity = Decimals.text(count == 0 ? 0 : 0.12 + 0.75 * share, places: 2)
                return "<td style=\"background:rgba(\(decided == truth ? "46,139,87" : "209,73,91"),\(opacity))\">\(count)</td>"
            }
            return "<tr><td>\(truth + 1) \(SVG.escaped(label).split(separator: "_").joined(separator: "_<wbr>"))</td>\(cells.joined())</tr>"
        }
        return "<table class=\"confusion\"><tr><th>\(name), true \\ decided</th>\(head)</tr>\(rows.joined())</table>"
    }

    private var recalls: String {
        BarChart.svg(
            table.float.labels.enumerated().map { ($0.element, [table.float.recall($0.offset), table.eight.matrix.recall($0.offset)]) },
            series: [("float32", Self.float), ("8 bits", Self.fixed)]
        ).text
    }

    private var timeline: String {
        func bands(_ stretches: [EventScore.Stretch]) -> [Timeline.Band] {
            stretches.map { .init(label: $0.label, from: Double($0.range.lowerBound) / 50, to: Double($0.range.upperBound) / 50) }
        }
        return Timeline.svg(
            [("true", bands(table.timeline.truth)), ("shown", bands(EventScore.stretches(table.timeline.shown)))],
            labels: table.float.labels
        ).text
    }

    private static func table(_ heads: [String], _ rows: [[String]]) -> String {
        let cells = { (name: String, row: [String]) in "<tr>" + row.map { "<\(name)>\($0)</\(name)>" }.joined() + "</tr>" }
        return "<table>\(cells("th", heads))\(rows.map { cells("td", $0) }.joined())</table>"
    }
}

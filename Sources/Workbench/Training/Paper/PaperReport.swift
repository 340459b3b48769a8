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

    private static let float = ReportPage.blue, fixed = ReportPage.red, paper = ReportPage.grey

    package var html: String {
        var page = ReportPage(title: "Activity recognition in fixed point")
        page.paragraph(
            """
            A \(table.shape) network on raw accelerometer windows of \(Decimals.text(table.network.window, over: 50, places: 2)) s, learnt \
            from \(table.learntFrom) people and measured on \(table.float.windows) windows of others \
            (\(table.leftOut.map(String.init).joined(separator: ", "))). Beside it, what Anguita et al. report in &ldquo;Energy efficient \
            smartphone-based activity recognition using fixed-point arithmetic&rdquo; (2013) for their own network, windows and phone.
            """)
        page.heading("Accuracy by bits of a weight")
        page.picture(sweep)
        page.table(["weights", "accuracy", "points to float", "bytes"], accuracies)
        page.heading("Predictions a second")
        page.table(["build", "here, a second", "to float", "paper's phone, a second", "to float", "instructions each"], speeds)
        page.paragraph(
            """
            All with this machine's vector instructions; float32 is the network as it was trained, by this program's own dense layers. The \
            paper's int32 runs 6.84 times as fast as its float32.
            """, isNote: true)
        page.heading("What is taken for what")
        page.confusions([("float32", table.float), ("8 bits", table.eight.matrix)])
        page.heading("Recall of each activity")
        page.picture(recalls)
        page.heading("Recording \(table.timeline.name)")
        page.picture(table.timeline.picture(labels: table.float.labels), isWide: true)
        page.paragraph(
            "Above what the wearer did (blank where nobody labelled it), below what was shown after smoothing, with 8 bits.", isNote: true)
        return page.html
    }

    private var sweep: SVG {
        let fixed = table.sweep.fixed.map { (x: Double($0.bits), y: $0.matrix.accuracy * 100) }, ends = [2.0, 16.0]
        return LineChart.svg(
            [
                .init(name: "fixed point", colour: Self.fixed, points: fixed),
                .init(name: "float32", colour: Self.float, points: ends.map { ($0, table.float.accuracy * 100) }),
                .init(name: "paper, 8 bits", colour: Self.paper, points: [(8, PaperTable.paperFixed * 100)]),
            ], horizontal: "bits of a weight", unit: "%",
            // Two bits are far below the others.
            range: min(60, ((fixed.map(\.y).min() ?? 60) / 10).rounded(.down) * 10)...100)
    }

    private var accuracies: [[String]] {
        let points = { (accuracy: Double, float: Double) in Decimals.text((accuracy - float) * 100, places: 1) }
        let own = table.sweep.fixed.reversed().map { step in
            [
                "\(step.bits) bits", Units.percent(step.matrix.accuracy), points(step.matrix.accuracy, table.float.accuracy),
                "\(step.network.bytes)",
            ]
        }
        return [["float32", Units.percent(table.float.accuracy), "", "\(table.sweep.floatBytes)"]] + own + [
            ["the paper, float", Units.percent(PaperTable.paperFloat), "", ""],
            ["the paper, 8 bits", Units.percent(PaperTable.paperFixed), points(PaperTable.paperFixed, PaperTable.paperFloat), ""],
        ]
    }

    private var speeds: [[String]] {
        let float = table.builds[0]
        return table.builds.map { build in
            [
                build.name, Decimals.text(build.perSecond, places: 0), Decimals.text(build.perSecond / float.perSecond, places: 2),
                Decimals.text(build.paperPerSecond, places: 0), Decimals.text(build.paperPerSecond / float.paperPerSecond, places: 2),
                build.instructions.map { Decimals.text($0, places: 0) } ?? "no counter",
            ]
        }
    }

    private var recalls: SVG {
        BarChart.svg(
            table.float.labels.enumerated().map { ($0.element, [table.float.recall($0.offset), table.eight.matrix.recall($0.offset)]) },
            series: [("float32", Self.float), ("8 bits", Self.fixed)])
    }
}

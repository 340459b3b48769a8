internal import Charts
package import NeuralNetwork
internal import Support

/// How well a network does on recordings, as a page.
package struct EvaluationReport {
    private let network: Network
    private let score: RecordingScore
    private let variants: Variants

    /// Recordings whose timelines are shown, and the windows that one must have for that.
    private static let shown = 5, fewest = 20

    /// - Parameters:
    ///   - score: of what the page is about.
    ///   - variants: of the same recordings.
    package init(_ network: Network, _ score: RecordingScore, _ variants: Variants) {
        (self.network, self.score, self.variants) = (network, score, variants)
    }

    package var html: String {
        var page = ReportPage(title: "Activity recognition, measured")
        summary(&page)
        ways(&page)
        page.heading("What is taken for what")
        page.confusions([("all", score.windows)])
        if score.byPlacement.count > 1 { page.confusions(score.byPlacement.map { ($0.placement, $0.windows) }) }
        page.heading("Recall of each activity")
        page.picture(
            BarChart.svg(
                score.windows.labels.enumerated().filter { score.windows.recall($0.offset) != nil }.map {
                    ($0.element, [score.windows.recall($0.offset)])
                },
                series: [("of the windows that are it", ReportPage.blue)]))
        for (title, shares) in [("set", score.sets), ("place of the body", score.placements)] where shares.count > 1 {
            page.heading("By \(title)")
            Self.add(shares, title, &page)
        }
        page.heading("By person")
        Self.add(score.people.sorted { $0.share < $1.share }, "person", &page)
        confidence(&page)
        if let detection = score.detection { unknown(detection, &page) }
        worst(&page)
        return page.html
    }

    private func summary(_ page: inout ReportPage) {
        let placements = network.placements.isEmpty ? "" : ", for \(network.placements.joined(separator: ", "))"
        page.paragraph(
            """
            <strong>\(Units.percent(score.windows.accuracy))</strong> of \(score.windows.windows) windows are right, of \
            \(score.people.count) people. Model version \(network.version), \(network.labels.count) activities\(SVG.escaped(placements)).
            """)
        if !score.trainedOn.isEmpty {
            page.paragraph(
                """
                <strong>The model was trained on \(SVG.escaped(score.trainedOn.joined(separator: ", "))):</strong> what it shows of them \
                says nothing about other people.
                """)
        }
        if let unoriented = score.unoriented {
            page.paragraph("In \(Units.percent(unoriented.share)) of the windows it was not known yet which way is up: they do not count.")
        }
        if let placed = score.placed {
            page.paragraph(
                """
                The place of the body was found in \(Units.percent(placed.share)) of \(placed.all) recordings, from half a minute of \
                walking.
                """)
        }
    }

    private func ways(_ page: inout ReportPage) {
        page.heading("By the way in which recordings are played")
        page.table(
            ["recordings", "right", "windows", "not known yet", "found", "shown right", "delay"],
            variants.variants.map { variant in
                let score = variant.score, events = score.events
                return [
                    variant.name, Units.percent(score.windows.accuracy), "\(score.windows.windows)",
                    score.unoriented.map { Units.percent($0.share) } ?? "-", events.recall.map(Units.percent) ?? "-",
                    events.precision.map(Units.percent) ?? "-",
                    events.medianDelay.map { Decimals.text($0, over: 50, places: 2) + " s" } ?? "-",
                ]
            })
        page.paragraph(
            """
            Found: of the stretches of one activity, those shown for half of them or more. Shown right: of the stretches that are shown. \
            Delay: from a change to the changed decision, median. Where the sensor's direction is learnt, every recording is played twice, \
            and the second time counts.
            """, isNote: true)
    }

    private func confidence(_ page: inout ReportPage) {
        page.heading("Is 80 % right what is said with 80 %?")
        let bins = score.reliability.bins.filter { $0.windows > 0 }
        page.picture(
            LineChart.svg(
                [
                    .init(
                        name: "as said", colour: ReportPage.grey,
                        points: (0...10).map { (Double($0) * 10, Double($0) * 10) }),
                    .init(
                        name: "right", colour: ReportPage.red,
                        points: bins.map { ($0.confidence * 100, $0.accuracy * 100) }),
                ], horizontal: "confidence, %", unit: "%", range: 0...100))
        page.table(
            ["confidence", "right", "windows"],
            bins.map { [Units.percent($0.confidence), Units.percent($0.accuracy), "\($0.windows)"] })
        page.paragraph("Expected calibration error: \(Units.percent(score.reliability.expectedError)).")
    }

    private func unknown(_ detection: Detection, _ page: inout ReportPage) {
        page.heading("Activities that it does not know")
        page.picture(
            LineChart.svg(
                [
                    .init(
                        name: "called unknown", colour: ReportPage.red,
                        points: detection.curve.map { ($0.knownLost * 100, $0.foreignFound * 100) })
                ], horizontal: "known activities called unknown, %", unit: "%", range: 0...100))
        page.paragraph(
            """
            Area under the curve \(Decimals.text(detection.area, places: 3)). Where 95 % of the known windows are kept, \
            \(Units.percent(detection.falseAt95)) of \(detection.foreign.count) others are still called something. As it runs, \
            \(Units.percent(score.foreign.share)) of them are shown as unknown.
            """)
    }

    private func worst(_ page: inout ReportPage) {
        let worst = score.timelines.filter { $0.windows.all >= Self.fewest }.sorted { $0.windows.share < $1.windows.share }
        guard !worst.isEmpty else { return }
        page.heading("The recordings that went worst")
        page.paragraph("Above what the wearer did (blank where nobody labelled it), below what was shown after smoothing.", isNote: true)
        for played in worst.prefix(Self.shown) {
            page.paragraph("\(SVG.escaped(played.name)): \(Units.percent(played.windows.share)) of \(played.windows.all) windows")
            page.picture(played.picture(labels: network.labels), isWide: true)
        }
    }

    private static func add(_ shares: [RecordingScore.Share], _ title: String, _ page: inout ReportPage) {
        page.table([title, "right", "windows"], shares.map { [$0.name, Units.percent($0.share), "\($0.all)"] })
    }
}

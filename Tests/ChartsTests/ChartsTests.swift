import Testing

@testable import Charts

@Suite struct ChartsTests {
    @Test func aRampGoesFromTheLowerLeftToTheUpperRight() {
        // One step a column; each column begins where the one before ended.
        #expect(TerminalTrace.rows((0..<8).map { Double($0) }, width: 4, height: 2, range: 0...7) == ["⠀⠀⣠⠞", "⣠⠞⠁⠀"])
    }

    @Test func axesHaveRoundNumbers() {
        let scale = AxisScale.of([-0.31, 0.98])
        #expect(scale.low <= -0.31 && scale.high >= 0.98 && scale.ticks.contains(0))
        #expect(scale.ticks == [-0.5, 0, 0.5, 1])
        #expect(AxisScale.of([0.3, 0.32]).ticks.allSatisfy { "\($0)".count <= 5 })
        #expect(AxisScale.step(10, about: 10) == 1 && AxisScale.step(11, about: 10) == 2)
    }

    @Test func textIsEscaped() {
        let picture = TraceChart.svg([0, 0, 1, 0.1, 0, 1], rate: 50, title: "<script>&\"")
        #expect(picture.text.contains("&lt;script&gt;&amp;&quot;") && !picture.text.contains("<script>"))
        #expect(picture.text.hasPrefix("<svg ") && picture.text.hasSuffix("</svg>"))
    }
}

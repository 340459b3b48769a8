import Testing

@testable import Support

@Suite struct PrometheusTextTests {
    @Test func eachNameComesOnceWithItsHelpAndType() {
        var out = PrometheusText()
        out.add("a_total", .counter, "Counted.", 9_007_199_254_740_992)
        out.add("unknown", .gauge, "Not known.", nil)
        out.add("none", .gauge, "No values.", [])
        out.add("b", .gauge, "Two.", [([("l", "one")], 0.25), ([("l", "a\"\u{301}\\\n")], -1)])
        #expect(
            out.text == """
                # HELP a_total Counted.
                # TYPE a_total counter
                a_total 9007199254740992
                # HELP b Two.
                # TYPE b gauge
                b{l="one"} 0.25
                b{l="a\\"\u{301}\\\\\\n"} -1

                """)
    }

    @Test func numbersThatAreNone() {
        var out = PrometheusText()
        out.add("x", .gauge, "Odd.", [.nan, .infinity, -.infinity, 1e300].map { ([], $0) })
        #expect(out.text.split(separator: "\n").dropFirst(2) == ["x NaN", "x +Inf", "x -Inf", "x 1e+300"])
    }
}

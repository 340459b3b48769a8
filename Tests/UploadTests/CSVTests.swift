import Support
import Testing

@testable import Upload

@Suite struct CSVTests {
    private func text(_ body: (inout CSVText) -> Void) -> String {
        var csv = CSVText()
        body(&csv)
        return String(decoding: csv.bytes, as: UTF8.self)
    }

    // spec: vector 8 and the table of 1.2.
    @Test(arguments: [
        (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (0.30000000000000004, "0.30000000000000004"), (0.0001, "0.0001"), (1e-5, "1e-05"),
        (9.999e-5, "9.999e-05"),
        (123456789.125, "123456789.125"), (1e15, "1000000000000000.0"), (1e16, "1e+16"), (9007199254740992.0, "9007199254740992.0"),
        (9007199254740994.0, "9.007199254740994e+15"), (.leastNonzeroMagnitude, "5e-324"), (.nan, "nan"), (.infinity, "inf"),
        (-.infinity, "-inf"), (1.7976931348623157e308, "1.7976931348623157e+308"),
    ])
    func numbers(_ value: Double, _ expected: String) { #expect(text { $0.append(value) } == expected) }

    @Test func asSwiftDescribes() {
        var random = RandomNumbers(seed: 5)
        for round in 0..<200_000 {
            let value: Double =
                switch round % 4 {
                case 0: Double(bitPattern: random.next())
                case 1: random.normal() * 10
                case 2: Double(Int64(bitPattern: random.next()) >> 8) / 1000
                default: Double(random.below(1 << 30)) * (random.below(2) == 0 ? 1e-12 : 1e12)
                }
            let written = text { $0.append(value) }
            #expect(written == (value.isNaN ? "nan" : value.description))
        }
        for units in Int16.min...Int16.max { #expect(text { $0.append(q12: units) } == (Double(units) / 4096).description) }
    }

    @Test func rows() {
        let written = text { csv in
            csv.append(1)
            csv.append(2)
            csv.endRow(hasLabels: true)
            csv.append(3)
            csv.endRow(hasLabels: false)
        }
        #expect(written == "1.0,2.0\n3.0,\n")
    }

    @Test(arguments: [
        ("1.0,2.0\n3.0,4.0\n", 2, 16), ("1.0,2.0\n3.0,4.", 1, 8), ("1.0,2.0\n3.0\n4.0,5.0\n", 1, 8), ("", 0, 0), ("\n", 0, 0),
        ("1.0,2\0\n", 0, 0), ("-1e-05,\n", 1, 8),
    ])
    func wholeRows(_ text: String, _ rows: Int, _ bytes: Int) {
        var check = CSVCheck()
        for byte in text.utf8 { check.take([byte]) }
        #expect((check.rows, check.whole) == (rows, bytes))
    }
}

import Foundation
import Testing

@testable import Conversion

struct CurveTests {
    @Test func fourAtOnceAreEachAsByItself() {
        let odd: [Double] = [
            0, -0.0, 1e-300, -1e-300, 0.5, -0.5, 699.99, 700, -700, 701, 1e300, -1e300, .infinity, -.infinity, .nan, 0.34657359027997264,
        ]
        let numbers = odd + (0..<100_000).map { Double($0) * 0.000801 - 40 }
        for curve in [Activation.sigmoid, .tanh, .relu, .scaledTanh(scale: 2, slope: 0.5)] {
            for start in stride(from: 0, to: numbers.count, by: 4) {
                let each = numbers[start..<start + 4], four = curve.values(SIMD4(each))
                #expect(each.map { curve.value($0).bitPattern } == (0..<4).map { four[$0].bitPattern }, "\(curve) of \(each)")
            }
        }
    }

    @Test func theyAreAsTheCLibraryHasThem() {
        for step in -4000...4000 {
            let x = Double(step) / 100
            #expect(abs(Activation.sigmoid.value(x) - 1 / (1 + exp(-x))) < 1e-12)
            #expect(abs(Activation.tanh.value(x) - Foundation.tanh(x)) < 1e-12)
        }
    }

    /// As scikit-learn's converter writes it, and with a slope; a shifted one, a step and others are none.
    @Test func sigmoidsAreFoundHoweverTheyAreWritten() throws {
        typealias Expression = Conversion.Expression
        let power = Expression.function(.exp, .function(.negative, .input))
        let written = Expression.quotient(.constant(1), .sum(power, .constant(1)))
        let inner = try #require(written.sigmoidArgument)
        for x in [-30.0, -2, 0, 0.5, 40] { #expect((inner.value(x) - x).magnitude < 1e-9) }
        let steep = Expression.curve(.sigmoid, .product(.constant(-3), .input))
        #expect(steep.sigmoidArgument == .product(.constant(-3), .input))
        for other in [.input, .curve(.tanh, .input), .curve(.hardSigmoid(scale: 0.25, offset: 0.5), .input), .sum(written, .constant(0.1))]
            as [Expression]
        {
            #expect(other.sigmoidArgument == nil)
        }
    }
}

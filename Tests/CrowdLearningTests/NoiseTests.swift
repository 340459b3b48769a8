import Glibc
import Support
import Testing

@testable import CrowdLearning

/// Each noise against its distribution: Kolmogorov and Smirnov's largest distance of 10^6 draws, below which 999 of 1000 right ones stay.
@Suite struct NoiseTests {
    private static let count = 1_000_000
    private static let limit = 1.95 / Double(count).squareRoot()

    private func distance(_ values: [Double], _ share: (Double) -> Double) -> Double {
        let sorted = values.sorted(), count = Double(values.count)
        return sorted.enumerated().reduce(0) { most, next in
            let wanted = share(next.element)
            return max(most, abs(wanted - Double(next.offset) / count), abs(Double(next.offset + 1) / count - wanted))
        }
    }

    private func laplace(_ scale: Double) -> (Double) -> Double { { $0 < 0 ? exp($0 / scale) / 2 : 1 - exp(-$0 / scale) / 2 } }
    private func normal(_ deviation: Double) -> (Double) -> Double { { 0.5 * erfc(-$0 / deviation / 2.0.squareRoot()) } }

    private func drawn(_ noise: Noise) -> [Double] {
        var values = [Double](repeating: 0, count: Self.count), random = RandomNumbers(seed: 20_150_629)
        noise.add(to: &values, using: &random)
        return values
    }

    @Test func laplaceIsLaplace() throws {
        #expect(distance(drawn(try Noise(named: "Laplace", scale: 0.4)), laplace(0.4)) < Self.limit)
        #expect(distance(drawn(try Noise(named: "Laplace", scale: 0.4, as: .python)), laplace(0.4 / 2.0.squareRoot())) < Self.limit)
    }

    @Test func gaussIsGauss() throws {
        for name in ["Gaussian", "Gauss"] { #expect(distance(drawn(try Noise(named: name, scale: 3)), normal(3)) < Self.limit) }
        #expect(distance(drawn(try Noise(named: "Gaussian", scale: 3, as: .ios)), normal(3 / 2.0.squareRoot())) < Self.limit)
    }

    @Test func theFaultOf2016WouldBeFound() {
        var random = RandomNumbers(seed: 1)
        let values = (0..<Self.count).map { _ -> Double in
            let u = random.unit() - 0.5
            return -0.4 * (u < 0 ? -1 : 1) * exp(1 - 2 * abs(u)) // exp where there should be log
        }
        #expect(distance(values, laplace(0.4)) > 100 * Self.limit)
    }

    @Test func withoutASeedNoTwoDrawsAreAlike() throws {
        var random = SystemRandomNumberGenerator(), first = [0.0, 0], second = [0.0, 0]
        try Noise(named: "Laplace", scale: 1).add(to: &first, using: &random)
        try Noise(named: "Laplace", scale: 1).add(to: &second, using: &random)
        #expect(Set(first + second).count == 4)
    }

    @Test func whatCannotBeMadeIsSaid() {
        for (name, scale) in [("Laplace", 0.0), ("Laplace", -1), ("Gaussian", .nan), ("Cauchy", 1)] {
            #expect(throws: Fault.self) { try Noise(named: name, scale: scale) }
        }
    }
}

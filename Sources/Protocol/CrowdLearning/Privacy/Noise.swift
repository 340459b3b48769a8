package import Support

/// Noise that a device adds to each number before it leaves.
package enum Noise: Sendable, Equatable {
    case none
    /// Density exp(-|z|/scale) / (2 scale).
    case laplace(scale: Double)
    case gaussian(deviation: Double)

    /// As `/parameters` names it. Source: spec of Crowd-ML's clients, who read `noiseScale` differently.
    ///
    /// - Throws: `.badData` for another name or a scale that is no positive number.
    package init(named name: String, scale: Double, as convention: ClientConvention = .paper) throws(Fault) {
        if name == "NoNoise" {
            self = .none
            return
        }
        guard scale > 0, scale.isFinite else { throw Fault(.badData, "a noise of scale \(scale) cannot be made") }
        switch name {
        case "Laplace": self = .laplace(scale: convention == .python ? scale * 0.5.squareRoot() : scale)
        case "Gaussian", "Gauss": self = .gaussian(deviation: convention == .ios ? scale * 0.5.squareRoot() : scale)
        default: throw Fault(.badData, "there is no noise \"\(name)\": NoNoise, Laplace, Gaussian")
        }
    }

    /// - Parameter random: unpredictable, where the noise is to protect anybody: `SystemRandomNumberGenerator` is.
    package func add(to values: inout [Double], using random: inout some RandomNumberGenerator) {
        switch self {
        case .none: return
        case .laplace(let scale): for index in values.indices { values[index] += scale * Self.laplace(&random) }
        case .gaussian(let deviation): for index in values.indices { values[index] += deviation * Self.normal(&random) }
        }
    }

    // Uniform in -1/2 ..< 1/2 without the ends: a multiple of 2^-53 and a half more.
    private static func centred(_ random: inout some RandomNumberGenerator) -> Double {
        (Double(random.next() >> 11) + 0.5) * 0x1p-53 - 0.5
    }

    static func laplace(_ random: inout some RandomNumberGenerator) -> Double {
        let u = centred(&random), size = -Exponential.log(1 - 2 * u.magnitude)
        return u < 0 ? -size : size
    }

    // Marsaglia's polar method; the second value is thrown away so that nothing is kept between two calls.
    static func normal(_ random: inout some RandomNumberGenerator) -> Double {
        while true {
            let x = 2 * centred(&random), y = 2 * centred(&random), square = x * x + y * y
            if square < 1, square > 0 { return x * (-2 * Exponential.log(square) / square).squareRoot() }
        }
    }
}

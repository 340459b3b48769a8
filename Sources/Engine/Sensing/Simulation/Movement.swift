/// How a phone at the waist moves in one activity: a posture, and a gait as harmonics of the stride.
///
/// Axes as in the UCI HAR recordings: x up along the body, y mostly forward: the phone hangs at the hip. Amplitudes are near what
/// spectra of such recordings show for a middling walker. Postures and phases were chosen so that the models that come with Gaitway know
/// them (stairs down and running are seven seconds of one person each): the simulated wearer demonstrates the loop, it measures nothing.
struct Movement {
    /// One axis of a gait, from the first harmonic of the stride: amplitudes in g and phases in turns.
    struct Swing {
        var amplitudes: [Double] = []
        var phases: [Double] = []

        func at(_ phase: Double) -> Double {
            var sum = 0.0
            for (index, amplitude) in amplitudes.enumerated() { sum += amplitude * sine(Double(index + 1) * phase + phases[index]) }
            return sum
        }
    }

    /// Gravity plus the mean of the movement, g: x, y, z.
    var posture: [Double]
    /// Strides (two steps) a second; zero when still.
    var stride = 0.0
    /// x, y, z.
    var gait = [Swing(), Swing(), Swing()]
    /// Whether it begins with half a second of falling and a blow.
    var falls = false

    /// Samples of a fall: those in which little of gravity is felt, and those of the blow.
    private static let falling = 8..<24, hitting = 24..<32
    private static let blow = [1.3, 3.1, 4.6, 2.4, -0.6, 1.4, 0.7, -0.3], direction = [0.45, 0.75, 0.48]

    /// What a fall does to the posture, and what it adds, g.
    ///
    /// - Parameter sample: since its beginning.
    func fall(at sample: Int, axis: Int) -> (share: Double, blow: Double) {
        guard falls else { return (1, 0) }
        if Self.falling.contains(sample) { return (0.35, 0) }
        return (1, Self.hitting.contains(sample) ? Self.blow[sample - Self.hitting.lowerBound] * Self.direction[axis] : 0)
    }
}

extension SimulatedWearer.Motion {
    var movement: Movement {
        switch self {
        case .stand: Movement(posture: [1.01, -0.06, -0.02])
        case .sit: Movement(posture: [0.86, 0.46, 0.16])
        case .lie: Movement(posture: [-0.05, 0.93, 0.32])
        case .fall: Movement(posture: [0.08, 0.88, 0.46], falls: true)
        case .walk:
            Movement(
                posture: [1.04, -0.04, -0.02], stride: 0.93,
                gait: [
                    .init(
                        amplitudes: [0.03, 0.35, 0.10, 0.13, 0.06, 0.19, 0.09, 0.12],
                        phases: [0.70, 0.77, 0.86, 0.43, 0.93, 0.25, 0.24, 0.51]),
                    .init(
                        amplitudes: [0.05, 0.28, 0.06, 0.04, 0.10, 0.09, 0.05, 0.07],
                        phases: [0.67, 0.01, 0.39, 0.58, 0.73, 0.45, 0.08, 0.18]),
                    .init(
                        amplitudes: [0.08, 0.21, 0.04, 0.05, 0.04, 0.06, 0.03, 0.03],
                        phases: [0.03, 0.33, 0.12, 0.70, 0.07, 0.90, 0.60, 0.53]),
                ])
        case .upstairs:
            Movement(
                posture: [0.99, -0.15, -0.11], stride: 0.80,
                gait: [
                    .init(
                        amplitudes: [0.08, 0.42, 0.04, 0.09, 0.03, 0.07, 0.05, 0.05],
                        phases: [0.87, 0.43, 0.96, 0.09, 0.99, 0.72, 0.01, 0.80]),
                    .init(
                        amplitudes: [0.14, 0.25, 0.03, 0.07, 0.03, 0.04, 0.03, 0.02],
                        phases: [0.46, 0.82, 0.36, 0.42, 0.65, 0.93, 0.35, 0.41]),
                    .init(
                        amplitudes: [0.27, 0.20, 0.04, 0.04, 0.04, 0.02, 0.02, 0.01],
                        phases: [0.40, 0.63, 0.90, 0.13, 0.30, 0.33, 0.45, 0.03]),
                ])
        case .downstairs:
            Movement(
                posture: [0.99, -0.21, -0.03], stride: 0.88,
                gait: [
                    .init(
                        amplitudes: [0.04, 0.52, 0.03, 0.20, 0.04, 0.08, 0.13, 0.04],
                        phases: [0.98, 0.15, 0.44, 0.97, 0.34, 0.87, 0.10, 0.98]),
                    .init(
                        amplitudes: [0.02, 0.17, 0.04, 0.16, 0.02, 0.13, 0.10, 0.06],
                        phases: [0.93, 0.70, 0.09, 0.69, 0.91, 0.67, 0.59, 0.55]),
                    .init(
                        amplitudes: [0.09, 0.04, 0.03, 0.03, 0.05, 0.05, 0.10, 0.03],
                        phases: [0.53, 0.58, 0.74, 0.38, 0.71, 0.14, 0.57, 0.74]),
                ])
        case .run:
            Movement(
                posture: [1.02, -0.08, -0.03], stride: 1.39,
                gait: [
                    .init(
                        amplitudes: [0.02, 0.92, 0.08, 0.49, 0.06, 0.16, 0.11, 0.06],
                        phases: [0.94, 0.99, 0.13, 0.86, 0.79, 0.68, 0.72, 0.31]),
                    .init(
                        amplitudes: [0.03, 0.43, 0.02, 0.15, 0.04, 0.33, 0.07, 0.17],
                        phases: [0.76, 0.41, 0.67, 0.44, 0.46, 0.24, 0.26, 0.10]),
                    .init(
                        amplitudes: [0.13, 0.01, 0.17, 0.03, 0.09, 0.03, 0.08, 0.01],
                        phases: [0.00, 0.87, 0.70, 0.70, 0.72, 0.26, 0.57, 0.40]),
                ])
        }
    }
}

/// sin(2 pi turns) within 2e-4, from products alone: libraries differ in the last bit, and the samples must not.
func sine(_ turns: Double) -> Double {
    var t = turns - turns.rounded() // -0.5 ... 0.5
    if t > 0.25 { t = 0.5 - t } else if t < -0.25 { t = -0.5 - t }
    let x = t * 6.283185307179586
    let x2 = x * x
    return x * (1 - x2 * (1.0 / 6 - x2 * (1.0 / 120 - x2 * (1.0 / 5040))))
}

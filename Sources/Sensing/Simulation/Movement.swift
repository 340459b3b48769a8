/// How a phone at the waist moves in one activity: a posture, and a gait as harmonics of the stride.
///
/// Axes as in the UCI HAR recordings: x up along the body, y sideways, z forward. Amplitudes are what a
/// spectrum of such recordings shows for a middling walker, rounded; the phases are made up.
struct Movement {
    /// Direction and size of gravity plus the mean of the movement, g.
    var posture: (x: Double, y: Double, z: Double)
    /// Strides (two steps) a second; zero when still.
    var stride = 0.0
    /// Amplitude in g of each harmonic of the stride, from the first.
    var x: [Double] = [], y: [Double] = [], z: [Double] = []
    /// Slow sway of the posture, g.
    var sway = 0.004
}

extension SimulatedWearer.Activity {
    var movement: Movement {
        switch self {
        case .stand: Movement(posture: (1.00, -0.20, -0.04))
        case .sit: Movement(posture: (0.94, 0.10, 0.30))
        case .lie: Movement(posture: (0.08, 0.66, 0.74))
        case .walk:
            Movement(
                posture: (1.00, -0.21, -0.10), stride: 0.93,
                x: [0.03, 0.26, 0.06, 0.12, 0.05, 0.12, 0.06, 0.08], y: [0.07, 0.17, 0.05, 0.07, 0.05, 0.08, 0.05, 0.06],
                z: [0.10, 0.14, 0.03, 0.06, 0.03, 0.05, 0.03, 0.05])
        case .upstairs:
            Movement(
                posture: (0.94, -0.31, -0.20), stride: 0.80,
                x: [0.06, 0.30, 0.06, 0.13, 0.05, 0.06, 0.04, 0.04], y: [0.10, 0.18, 0.05, 0.07, 0.04, 0.04, 0.03, 0.03],
                z: [0.19, 0.14, 0.05, 0.05, 0.03, 0.03, 0.02, 0.02])
        case .downstairs:
            Movement(
                posture: (1.00, -0.19, -0.12), stride: 0.95,
                x: [0.05, 0.42, 0.16, 0.21, 0.12, 0.12, 0.09, 0.09], y: [0.07, 0.14, 0.09, 0.11, 0.08, 0.08, 0.06, 0.06],
                z: [0.11, 0.11, 0.07, 0.08, 0.06, 0.06, 0.05, 0.05])
        }
    }
}

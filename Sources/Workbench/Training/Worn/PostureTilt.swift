internal import Sensing
internal import Support

/// Turns windows of people who lie: others lie on a pillow, on a sofa or half on one side, as nobody did while recordings were made.
struct PostureTilt {
    /// Share of the windows after which somebody turns over.
    private static let turnings = 1.0 / 16

    private var random: RandomNumbers
    private var share = 0.0, axis = [0.0, 0.0, 0.0]

    init(seed: UInt64) {
        random = RandomNumbers(seed: seed)
        turnOver()
    }

    /// By how much windows of a label are turned at most, in half turns; 0: not at all. At the wrist it is 0: turned windows of sitting and
    /// lying made the network better on DSADS and worse on selfBACK.
    static func most(_ label: String, at placement: String) -> Double {
        switch (label, placement) {
        case ("LAYING", "waist"), ("LAYING", "chest"): 1.0 / 6
        default: 0
        }
    }

    private mutating func turnOver() {
        share = random.unit()
        axis = (0..<3).map { _ in 2 * random.unit() - 1 }
    }

    /// The next window, turned by up to `most` half turns; Q3.12, x, y, z interleaved.
    mutating func turned(_ window: [Int16], most: Double) -> [Int16] {
        if random.unit() < Self.turnings { turnOver() }
        var down = [0.0, 0.0, 0.0]
        for (index, sample) in window.enumerated() { down[index % 3] += Double(sample) }
        // About an axis that is level, so that the angle is how far gravity turns.
        let length = Self.product(down, down)
        guard length > 0 else { return window }
        let along = Self.product(axis, down) / length
        let level = (0..<3).map { axis[$0] - along * down[$0] }, size = Self.product(level, level).squareRoot()
        guard size > 0.01 else { return window }
        return LabelledStream.turned(window, Self.rotation(about: level.map { $0 / size }, by: share * most))
    }

    private static func product(_ left: [Double], _ right: [Double]) -> Double {
        left[0] * right[0] + left[1] * right[1] + left[2] * right[2]
    }

    // Row by row; the angle in half turns.
    private static func rotation(about axis: [Double], by angle: Double) -> [Double] {
        let sine = Cosine.ofHalfTurn((1 - angle) / 2)
        return Rotation.matrix(Cosine.ofHalfTurn(angle / 2), sine * axis[0], sine * axis[1], sine * axis[2])
    }
}

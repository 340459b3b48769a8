public import Support

/// A person with a sensor at the waist who does what a script says: gravity, posture, gait, transitions, sensor noise.
///
/// For trying Gaitway without a sensor and for tests. It is no data to train on or to measure accuracy with. The same script
/// gives the same samples on every platform: only sums and products of doubles, rounded to Q3.12 g.
public final class SimulatedWearer: SampleSource {
    public let name = "a simulated wearer"
    public let rate = 50_000
    public let isLive = false

    private let script: Script
    private var random: RandomNumbers
    private var step = 0
    private var sampleInStep = 0
    private var played: Int64 = 0
    private var from: Movement
    private var phase = 0.0        // of the stride, in turns
    private var sway = (x: 0.0, y: 0.0, z: 0.0)
    private var vigour = 1.0       // wanders, since no two strides are alike

    private static let transition = 75 // samples

    public init(_ script: Script) {
        self.script = script
        random = RandomNumbers(seed: script.seed)
        from = script.steps[0].activity.movement
    }

    public func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        block.followsGap = false
        block.time = played * 20_000_000
        while block.count < block.capacity, let sample = next() {
            block.samples[block.count * 3] = sample.x
            block.samples[block.count * 3 + 1] = sample.y
            block.samples[block.count * 3 + 2] = sample.z
            block.count += 1
        }
        played += Int64(block.count)
        return block.count > 0
    }

    private func next() -> (x: Int16, y: Int16, z: Int16)? {
        if sampleInStep == script.steps[step].seconds * 50 {
            guard step + 1 < script.steps.count || script.repeats else { return nil }
            from = script.steps[step].activity.movement
            step = (step + 1) % script.steps.count
            sampleInStep = 0
        }
        let to = script.steps[step].activity.movement
        let share = min(1, Double(sampleInStep) / Double(Self.transition))
        sampleInStep += 1
        let eased = share * share * (3 - 2 * share)
        advance(by: from.stride + (to.stride - from.stride) * eased)
        wander(from.sway + (to.sway - from.sway) * eased)

        func axis(_ posture: (Movement) -> Double, _ gait: KeyPath<Movement, [Double]>, _ shift: Double, _ sway: Double) -> Int16 {
            let still = posture(from) + (posture(to) - posture(from)) * eased
            let moving = swing(from[keyPath: gait], shift) * (1 - eased) + swing(to[keyPath: gait], shift) * eased
            let noise = random.normal() * 0.004
            return Int16(clamping: Int(((still + moving * vigour + sway + noise) * 4096).rounded()))
        }
        return (axis({ $0.posture.x }, \.x, 0, sway.x), axis({ $0.posture.y }, \.y, 0.31, sway.y), axis({ $0.posture.z }, \.z, 0.57, sway.z))
    }

    private func advance(by stride: Double) {
        phase += stride / 50 * (1 + random.normal() * 0.03)
        phase -= phase.rounded(.down)
        vigour += (1 - vigour) * 0.02 + random.normal() * 0.012
    }

    private func wander(_ size: Double) {
        func drift(_ value: inout Double) { value += -value * 0.02 + random.normal() * 0.2 * size }
        drift(&sway.x)
        drift(&sway.y)
        drift(&sway.z)
    }

    private func swing(_ harmonics: [Double], _ shift: Double) -> Double {
        var sum = 0.0
        for (index, amplitude) in harmonics.enumerated() {
            let order = Double(index + 1)
            sum += amplitude * Self.sine(order * phase + shift + order * order * 0.13)
        }
        return sum
    }

    /// sin(2 pi turns) within 2e-4, from products alone: libraries differ in the last bit, and the samples must not.
    static func sine(_ turns: Double) -> Double {
        var t = turns - turns.rounded() // -0.5 ... 0.5
        if t > 0.25 { t = 0.5 - t } else if t < -0.25 { t = -0.5 - t }
        let x = t * 6.283185307179586
        let x2 = x * x
        return x * (1 - x2 * (1.0 / 6 - x2 * (1.0 / 120 - x2 * (1.0 / 5040))))
    }
}

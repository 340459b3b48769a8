package import Support

/// A person with a sensor at the waist who does what a script says: gravity, posture, gait, transitions, sensor noise.
///
/// For trying Gaitway without a sensor and for tests. It is no data to train on or to measure accuracy with. The same script
/// gives the same samples on every platform: only sums and products of doubles, rounded to Q3.12 g.
package final class SimulatedWearer: SampleSource {
    package let name = "a simulated wearer"
    package let rate = 50_000
    package let isLive = false
    package let wearing: ConfiguredWearing? = ConfiguredWearing(up: .x, forward: .y, placement: "waist")

    private let script: Script
    private let movements: [Movement] // of the script's steps
    private var random: RandomNumbers
    private var step = 0
    private var sampleInStep = 0
    private var played: Int64 = 0
    private var from: Movement, to: Movement
    private var eased = 0.0 // how far the transition has come
    private var phase = 0.0 // of the stride, in turns
    private var sway = [0.0, 0.0, 0.0]
    private var vigour = 1.0 // wanders, since no two strides are alike

    private static let transition = 75, fall = 30 // samples

    package init(_ script: Script) {
        self.script = script
        random = RandomNumbers(seed: script.seed)
        movements = script.steps.map(\.activity.movement)
        from = movements[0]
        to = from
    }

    package func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        block.followsGap = false
        block.time = played * 20_000_000
        while block.count < block.capacity, advance() {
            for axis in 0..<3 { block.samples[block.count * 3 + axis] = sample(axis) }
            block.count += 1
        }
        played += Int64(block.count)
        return block.count > 0
    }

    /// Moves on by one sample; false at the script's end.
    private func advance() -> Bool {
        if sampleInStep == script.steps[step].seconds * 50 {
            guard step + 1 < script.steps.count || script.repeats else { return false }
            from = to
            step = (step + 1) % script.steps.count
            to = movements[step]
            sampleInStep = 0
        }
        let share = min(1, Double(sampleInStep) / Double(to.falls ? Self.fall : Self.transition))
        eased = share * share * (3 - 2 * share)
        sampleInStep += 1
        phase += (from.stride + (to.stride - from.stride) * eased) / 50 * (1 + random.normal() * 0.03)
        phase -= phase.rounded(.down)
        vigour += (1 - vigour) * 0.02 + random.normal() * 0.012
        for axis in 0..<3 { sway[axis] += random.normal() * 0.0008 - sway[axis] * 0.02 }
        return true
    }

    /// Q3.12 g.
    private func sample(_ axis: Int) -> Int16 {
        let still = from.posture[axis] + (to.posture[axis] - from.posture[axis]) * eased
        let moving = from.gait[axis].at(phase) * (1 - eased) + to.gait[axis].at(phase) * eased
        let fall = to.fall(at: sampleInStep, axis: axis)
        let g = still * fall.share + fall.blow + moving * vigour + sway[axis] + random.normal() * 0.004
        return Int16(clamping: Int((g * 4096).rounded()))
    }
}

internal import Support

/// Small changes that a wearer or a sensor might have made: makes each epoch's windows new ones.
struct Augmentation {
    /// Standard deviation of the tilt about each axis, rad.
    var tilt = 0.1
    /// Standard deviation of the noise added to each sample, g.
    var noise = 0.01

    /// Moves a window to any place inside its labelled stretch.
    func moved(_ position: TrainingSet.Position, in set: TrainingSet, _ random: inout RandomNumbers) -> TrainingSet.Position {
        let range = set.segments[position.segment].range
        return TrainingSet.Position(segment: position.segment, start: range.lowerBound + random.below(range.count - set.window + 1))
    }

    /// A small rotation, as a sensor worn a little askew has: angles about x, y and z, rad.
    typealias Turn = (a: Float, b: Float, c: Float)

    func turn(_ random: inout RandomNumbers) -> Turn {
        (Float(random.normal() * tilt), Float(random.normal() * tilt), Float(random.normal() * tilt))
    }

    /// Turns the window's samples (g, x, y, z interleaved) and adds noise.
    func apply(_ turn: Turn, to window: inout ArraySlice<Float>, _ random: inout RandomNumbers) {
        let (a, b, c) = turn
        for i in stride(from: window.startIndex, to: window.endIndex, by: 3) {
            let (x, y, z) = (window[i], window[i + 1], window[i + 2])
            // First order of a rotation by (a, b, c): the angles are small.
            window[i] = x - c * y + b * z + gauss(&random)
            window[i + 1] = y + c * x - a * z + gauss(&random)
            window[i + 2] = z - b * x + a * y + gauss(&random)
        }
    }

    // The sum of four 16-bit uniforms: nearly normal, and cheap enough for every sample.
    private func gauss(_ random: inout RandomNumbers) -> Float {
        let bits = random.next()
        let sum = Int(bits & 0xffff) + Int(bits >> 16 & 0xffff) + Int(bits >> 32 & 0xffff) + Int(bits >> 48) - 2 * 0xffff
        return Float(sum) * Float(noise) * 2.6429e-5 // four uniforms of width 65535 have a standard deviation of 37837
    }
}

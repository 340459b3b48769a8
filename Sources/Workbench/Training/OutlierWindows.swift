internal import Support

/// Windows that no activity explains: the sensor shaken, or held in a way that no wearer's was. A network that has seen some knows
/// that it does not know.
struct OutlierWindows {
    /// Share of the sequences that hold some, and how many in a row at most.
    var share = 0.15, most = 8

    private typealias Vector = (x: Double, y: Double, z: Double)

    /// Where down was in each labelled stretch of whom, as unit vectors.
    private let postures: [(subject: Int, down: Vector)]
    // A way to hold it is known when two people held it so within 35 degrees.
    private static let cosine = 0.819

    init(_ set: TrainingSet, subjects: Set<Int>) {
        postures = set.segments.compactMap { segment in
            let stream = set.streams[segment.stream]
            guard subjects.contains(stream.subject) else { return nil }
            return (
                stream.subject,
                Self.down(stream.samples[segment.range.lowerBound * 3..<segment.range.upperBound * 3].lazy.map { Double($0) })
            )
        }
    }

    private static func down(_ values: some Sequence<Double>) -> Vector {
        var sums = [0.0, 0.0, 0.0]
        for (index, value) in values.enumerated() { sums[index % 3] += value }
        let length = max((sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]).squareRoot(), 1e-9)
        return (sums[0] / length, sums[1] / length, sums[2] / length)
    }

    /// Whether more than one person held the sensor as in this stretch: what only one did is no activity's way to hold it.
    func isKnown(_ samples: ArraySlice<Int16>) -> Bool { isKnown(Self.down(samples.lazy.map { Double($0) })) }

    private func isKnown(_ v: Vector) -> Bool {
        var first: Int?
        for (subject, down) in postures where v.x * down.x + v.y * down.y + v.z * down.z > Self.cosine {
            if let first, first != subject { return true }
            first = subject
        }
        return false
    }

    /// One way to make outliers of windows, for a few of them in a row.
    enum Change {
        case turned([Double])
        /// For each axis: where it rests, and three swings of cycles a second, phase in turns, and size in g.
        case shaken([(rest: Double, swings: [(rate: Double, phase: Double, size: Double)])])
    }

    func change(_ random: inout RandomNumbers) -> Change {
        random.unit() < 0.5 ? .turned(random.rotation()) : Self.shaking(&random)
    }

    private static func shaking(_ random: inout RandomNumbers) -> Change {
        let rest = random.rotation(), size = 0.3 + 1.2 * random.unit()
        return .shaken(
            (0..<3).map { axis in
                (rest[axis], (0..<3).map { _ in (0.5 + 8 * random.unit(), random.unit(), size * random.unit()) })
            })
    }

    /// A sensor that is shaken, at 50 Hz.
    ///
    /// - Returns: Q3.12 g, x, y, z interleaved.
    static func shaken(samples count: Int, _ random: inout RandomNumbers) -> [Int16] {
        guard case .shaken(let axes) = shaking(&random) else { return [] }
        return (0..<count * 3).map { Int16(clamping: Int((Self.shaken(axes[$0 % 3], at: Double($0 / 3) / 50, &random) * 4096).rounded())) }
    }

    private typealias Axis = (rest: Double, swings: [(rate: Double, phase: Double, size: Double)])

    private static func shaken(_ axis: Axis, at time: Double, _ random: inout RandomNumbers) -> Double {
        let sum = axis.swings.reduce(axis.rest + 0.02 * random.normal()) { $0 + $1.size * Self.wave($1.rate * time + $1.phase) }
        return max(-7.9, min(7.9, sum))
    }

    /// Changes a window's samples (g, x, y, z interleaved); `time` is that of its first one, s.
    ///
    /// - Returns: false where a turned window lies as people wear it.
    func apply(_ change: Change, to window: inout ArraySlice<Float>, time: Double, _ random: inout RandomNumbers) -> Bool {
        let first = window.startIndex
        switch change {
        case .turned(let r):
            for i in stride(from: first, to: window.endIndex, by: 3) {
                let (x, y, z) = (Double(window[i]), Double(window[i + 1]), Double(window[i + 2]))
                for axis in 0..<3 { window[i + axis] = Float(r[3 * axis] * x + r[3 * axis + 1] * y + r[3 * axis + 2] * z) }
            }
            return !isKnown(Self.down(window.lazy.map { Double($0) }))
        case .shaken(let axes):
            for i in window.indices {
                let offset = i - first
                window[i] = Float(Self.shaken(axes[offset % 3], at: time + Double(offset / 3) / 50, &random))
            }
            return true
        }
    }

    // cos(2 pi x), out of the half turn of the rate's curve.
    private static func wave(_ turns: Double) -> Double {
        let part = (turns - turns.rounded(.down)) * 2
        return Cosine.ofHalfTurn(part > 1 ? 2 - part : part)
    }
}

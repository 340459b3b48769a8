/// A small seeded generator (SplitMix64): the same numbers for the same seed on every platform.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct RandomNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Uniform in 0 ..< 1, a multiple of 2^-53.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Uniform in 0 ..< bound, without a division's bias worth noting (bound is far below 2^32).
    package mutating func below(_ bound: Int) -> Int { Int(((next() >> 32) * UInt64(bound)) >> 32) }

    /// Nearly normal, mean 0 and standard deviation 1: twelve uniforms, so that no platform's logarithm takes part.
    package mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }

    package mutating func shuffle(_ values: inout [Int]) {
        for i in stride(from: values.count - 1, to: 0, by: -1) { values.swapAt(i, below(i + 1)) }
    }

    /// A rotation matrix, row by row, any as likely as any other: that of a unit quaternion.
    package mutating func rotation() -> [Double] {
        var q = (0..<4).map { _ in normal() }
        let length = max(q.reduce(0) { $0 + $1 * $1 }.squareRoot(), 1e-9)
        q = q.map { $0 / length }
        return Rotation.matrix(q[0], q[1], q[2], q[3])
    }
}

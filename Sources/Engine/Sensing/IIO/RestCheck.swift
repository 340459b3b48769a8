/// At rest an accelerometer measures 1 g. One that does not has a wrong scale, unit or axis.
enum RestCheck {
    /// How still counts as rest, Q3.12 g from lowest to highest.
    private static let stillness = 205 // 0.05 g
    /// The g at which a still block is suspicious, squared, Q6.24.
    private static let low: Int64 = 3482 * 3482, high: Int64 = 4710 * 4710 // 0.85 and 1.15 g

    /// |g| of a block when the sensor lies still and this is far from 1 g; nil when all is well or the wearer moves.
    static func suspicious(_ samples: [Int16], count: Int) -> Double? {
        guard count >= 25 else { return nil }
        var square: Int64 = 0
        for axis in 0..<3 {
            var lowest = Int16.max, highest = Int16.min, sum = 0
            for i in 0..<count {
                let value = samples[i * 3 + axis]
                lowest = min(lowest, value)
                highest = max(highest, value)
                sum += Int(value)
            }
            guard Int(highest) - Int(lowest) < stillness else { return nil }
            let mean = Int64(sum / count)
            square += mean * mean
        }
        return square < low || square > high ? Double(square).squareRoot() / 4096 : nil
    }
}

internal import Support

/// At rest an accelerometer measures 1 g. One that does not has a wrong scale, unit or axis.
package enum RestCheck {
    /// How still counts as rest: from lowest to highest, Q3.12 g, or a share of what is measured where that is more.
    private static let stillness = 205, share = 20 // 0.05 g, a twentieth
    /// The g at which a still block is suspicious, squared, Q6.24.
    private static let low: Int64 = 3482 * 3482, high: Int64 = 4710 * 4710 // 0.85 and 1.15 g
    /// Samples and seconds of a block; still ones of a recording that say something of its scale.
    private static let fewest = 25, fewestBlocks = 5

    /// |g| of a block when the sensor lies still and this is far from 1 g; nil when all is well or the wearer moves.
    static func suspicious(_ samples: [Int16], count: Int) -> Double? {
        count >= fewest ? rest(samples[..<(count * 3)]).flatMap(far) : nil
    }

    /// |g| in the middle of a recording's still seconds, where there are some and this is far from 1 g.
    ///
    /// - Parameters:
    ///   - pieces: Q3.12 g, x, y, z interleaved.
    ///   - rate: mHz.
    package static func suspicious(_ pieces: [[Int16]], rate: Int) -> Double? {
        atRest(pieces, rate: rate, fewest: fewestBlocks)?.suspicious
    }

    /// The middle of a recording's still seconds.
    package struct AtRest: Sendable {
        // Q6.24.
        fileprivate let square: Int64
        fileprivate let seconds: Int

        /// Whether these are as many as say something of a recording by itself.
        package var isLong: Bool { seconds >= RestCheck.fewestBlocks }
        /// |g| where this is far from 1 g.
        package var suspicious: Double? { RestCheck.far(square) }
    }

    /// The same where at least so many seconds are still, also where it is near 1 g.
    package static func atRest(_ pieces: [[Int16]], rate: Int, fewest seconds: Int) -> AtRest? {
        let block = max(fewest, rate / 1000) * 3
        let squares = pieces.flatMap { samples in
            stride(from: 0, through: samples.count - block, by: block).compactMap { rest(samples[$0..<$0 + block]) }
        }.sorted()
        return squares.count >= seconds ? AtRest(square: squares[squares.count / 2], seconds: squares.count) : nil
    }

    /// What a user should read of a recording where that is so.
    package static func warning(_ name: String, _ pieces: [[Int16]], rate: Int) -> String? {
        suspicious(pieces, rate: rate).map {
            "\(name) measures \(text($0)) at rest instead of 1 g: its unit, scale or an axis is wrong"
        }
    }

    /// What was measured, for messages; samples end at 8 g.
    package static func text(_ g: Double) -> String { g > 7.9 ? "8 g or more" : "\(Decimals.text(g, places: 2)) g" }

    // g of a square that is far from 1 g.
    private static func far(_ square: Int64) -> Double? {
        square < low || square > high ? Double(square).squareRoot() / 4096 : nil
    }

    // The mean's length squared, Q6.24; nil: it moves.
    private static func rest(_ samples: ArraySlice<Int16>) -> Int64? {
        var square: Int64 = 0, widest: Int64 = 0
        for axis in 0..<3 {
            var lowest = Int16.max, highest = Int16.min, sum: Int64 = 0
            for index in stride(from: samples.startIndex + axis, to: samples.endIndex, by: 3) {
                lowest = min(lowest, samples[index])
                highest = max(highest, samples[index])
                sum += Int64(samples[index])
            }
            widest = max(widest, Int64(highest) - Int64(lowest))
            let mean = sum / Int64(samples.count / 3)
            square += mean * mean
        }
        return widest < stillness || widest * widest * Int64(share * share) < square ? square : nil
    }
}

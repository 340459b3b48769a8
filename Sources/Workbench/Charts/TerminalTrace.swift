/// Curves in a terminal, out of braille dots: each character holds 2 x 4 of them.
package enum TerminalTrace {
    /// One curve in `height` rows of `width` characters.
    ///
    /// - Parameter range: of the values at the bottom and the top row.
    package static func rows(_ values: [Double], width: Int, height: Int, range: ClosedRange<Double>) -> [String] {
        let columns = width * 2, lines = height * 4, span = max(range.upperBound - range.lowerBound, 1e-9)
        guard !values.isEmpty, width > 0, height > 0 else { return [String](repeating: "", count: max(0, height)) }
        var dots = [UInt8](repeating: 0, count: width * height)
        func line(_ value: Double) -> Int {
            let share = (value - range.lowerBound) / span
            return max(0, min(lines - 1, Int(((1 - share) * Double(lines - 1)).rounded())))
        }
        var last: Int?
        for column in 0..<columns {
            let from = column * values.count / columns, to = max(from + 1, (column + 1) * values.count / columns)
            guard from < values.count else { break }
            let here = values[from..<min(to, values.count)].map(line)
            // From the column before, so that a steep curve has no holes.
            let top = min(here.min() ?? 0, last ?? lines), bottom = max(here.max() ?? 0, last ?? 0)
            for y in top...max(top, bottom) { dots[y / 4 * width + column / 2] |= bits[column % 2][y % 4] }
            last = here.last
        }
        return (0..<height).map { row in
            String(String.UnicodeScalarView(dots[row * width..<(row + 1) * width].map { UnicodeScalar(0x2800 + UInt32($0))! }))
        }
    }

    private static let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
}

/// Three axes over time.
public enum TraceChart {
    public static let colours = ["#d1495b", "#2e8b57", "#30638e"]
    public static let axes = ["x", "y", "z"]

    /// - Parameters:
    ///   - samples: x, y, z interleaved, g.
    ///   - rate: samples a second.
    public static func svg(_ samples: [Double], rate: Double, title: String) -> SVG {
        let width = 900.0, height = 320.0, left = 48.0, right = 12.0, top = 34.0, bottom = 34.0
        var picture = SVG(width: Int(width), height: Int(height))
        let count = samples.count / 3, scale = AxisScale.of(samples), seconds = Double(max(count - 1, 1)) / rate
        func x(_ time: Double) -> Double { left + time / max(seconds, 1e-9) * (width - left - right) }
        func y(_ value: Double) -> Double { height - bottom - (value - scale.low) / (scale.high - scale.low) * (height - top - bottom) }
        picture.label(title, left, 18, fill: "#222", size: 14)
        for (axis, name) in axes.enumerated() { picture.label(name, width - right - 60 + Double(axis) * 24, 18, fill: colours[axis], size: 14) }
        for value in scale.ticks {
            picture.line(left, y(value), width - right, y(value), stroke: value == 0 ? "#999" : "#e4e4e4")
            picture.label("\(value)", left - 6, y(value) + 4, anchor: .end)
        }
        for second in stride(from: 0.0, through: seconds, by: AxisScale.step(seconds, about: 10)) { picture.label("\(second)", x(second), height - 14, anchor: .middle) }
        picture.label("s", width - right, height - 14, anchor: .end)
        picture.label("g", left - 6, 18, anchor: .end)
        let every = max(1, count / 1800) // no screen has more columns
        for axis in 0..<3 {
            picture.curve(stride(from: 0, to: count, by: every).map { (x(Double($0) / rate), y(samples[$0 * 3 + axis])) }, stroke: colours[axis], width: 1.2)
        }
        return picture
    }
}

/// An axis with round numbers.
public struct AxisScale {
    public let low: Double
    public let high: Double
    public let ticks: [Double]

    /// One that covers the values.
    public static func of(_ values: [Double], about count: Double = 6) -> AxisScale {
        let least = values.min() ?? 0, most = values.max() ?? 1, step = step(max(most - least, 0.1), about: count)
        let low = (least / step).rounded(.down) * step, high = (most / step).rounded(.up) * step
        // Products, not sums, so that 0.3 is 0.3.
        let first = Int((low / step).rounded()), last = Int((high / step).rounded()), whole = step >= 1 ? 1.0 : (1 / step).rounded()
        let ticks = (first...max(first, last)).map { step >= 1 ? Double($0) * step : Double($0) / whole }
        return AxisScale(low: low, high: max(high, low + step), ticks: ticks)
    }

    /// 1, 2 or 5 times a power of ten.
    public static func step(_ span: Double, about count: Double) -> Double {
        var power = 1.0
        let wish = max(span, 1e-6) / count
        while power > wish { power /= 10 }
        while power * 10 <= wish { power *= 10 }
        let times = wish / power
        return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10)
    }
}

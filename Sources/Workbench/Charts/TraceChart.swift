/// Three axes over time.
package enum TraceChart {
    package static let colours = ["#d1495b", "#2e8b57", "#30638e"]
    package static let axes = ["x", "y", "z"]

    /// - Parameters:
    ///   - samples: x, y, z interleaved, g.
    ///   - rate: samples a second.
    package static func svg(_ samples: [Double], rate: Double, title: String) -> SVG {
        let width = 900.0, height = 320.0, left = 48.0, right = 12.0, top = 34.0, bottom = 34.0
        var picture = SVG(width: Int(width), height: Int(height))
        let count = samples.count / 3, scale = AxisScale.of(samples), seconds = Double(max(count - 1, 1)) / rate
        func x(_ time: Double) -> Double { left + time / max(seconds, 1e-9) * (width - left - right) }
        func y(_ value: Double) -> Double { height - bottom - (value - scale.low) / (scale.high - scale.low) * (height - top - bottom) }
        picture.label(title, left, 18, fill: "#222", size: 14)
        for (axis, name) in axes.enumerated() {
            picture.label(name, width - right - 60 + Double(axis) * 24, 18, fill: colours[axis], size: 14)
        }
        for value in scale.ticks {
            picture.line(left, y(value), width - right, y(value), stroke: value == 0 ? "#999" : "#e4e4e4")
            picture.label("\(value)", left - 6, y(value) + 4, anchor: .end)
        }
        for second in stride(from: 0.0, through: seconds, by: AxisScale.step(seconds, about: 10)) {
            picture.label("\(second)", x(second), height - 14, anchor: .middle)
        }
        picture.label("s", width - right, height - 14, anchor: .end)
        picture.label("g", left - 6, 18, anchor: .end)
        let every = max(1, count / 1800) // no screen has more columns
        for axis in 0..<3 {
            picture.curve(
                stride(from: 0, to: count, by: every).map { (x(Double($0) / rate), y(samples[$0 * 3 + axis])) }, stroke: colours[axis],
                width: 1.2)
        }
        return picture
    }
}

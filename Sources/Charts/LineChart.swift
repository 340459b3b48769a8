/// Curves over one axis, with a mark at each point.
public enum LineChart {
    public struct Series {
        public var name: String
        public var colour: String
        public var points: [(x: Double, y: Double)]

        public init(name: String, colour: String, points: [(x: Double, y: Double)]) { (self.name, self.colour, self.points) = (name, colour, points) }
    }

    /// - Parameters:
    ///   - horizontal: what the x axis shows; a tick for each x of the first series.
    ///   - unit: of the y axis.
    public static func svg(_ series: [Series], horizontal: String, unit: String, range: ClosedRange<Double>? = nil) -> SVG {
        let width = 480.0, height = 260.0, left = 46.0, right = 14.0, top = 30.0, bottom = 44.0
        var picture = SVG(width: Int(width), height: Int(height))
        let xs = series.flatMap { $0.points.map(\.x) }, ys = series.flatMap { $0.points.map(\.y) }
        let scale = AxisScale.of(range.map { [$0.lowerBound, $0.upperBound] } ?? ys), least = xs.min() ?? 0, span = max((xs.max() ?? 1) - least, 1e-9)
        func x(_ value: Double) -> Double { left + (value - least) / span * (width - left - right) }
        func y(_ value: Double) -> Double { height - bottom - (value - scale.low) / (scale.high - scale.low) * (height - top - bottom) }
        for value in scale.ticks {
            picture.line(left, y(value), width - right, y(value), stroke: "#e4e4e4")
            picture.label(AxisScale.text(value), left - 6, y(value) + 4, anchor: .end)
        }
        for point in series.first?.points ?? [] { picture.label(AxisScale.text(point.x), x(point.x), height - bottom + 18, anchor: .middle) }
        picture.label(horizontal, (left + width - right) / 2, height - 8, anchor: .middle)
        picture.label(unit, left - 6, 16, anchor: .end)
        var at = left + 10
        for one in series {
            picture.rectangle(at, 8, 12, 12, fill: one.colour)
            picture.label(one.name, at + 17, 18)
            at += 30 + 7 * Double(one.name.count)
            let visible = one.points.filter { $0.y >= scale.low }
            picture.curve(visible.map { (x($0.x), y($0.y)) }, stroke: one.colour, width: 2)
            for point in visible { picture.circle(x(point.x), y(point.y), radius: 3, fill: one.colour, title: "\(one.name), \(AxisScale.text(point.x)): \(AxisScale.text((point.y * 10).rounded() / 10)) \(unit)") }
        }
        return picture
    }
}

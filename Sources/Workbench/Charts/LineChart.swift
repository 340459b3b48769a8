/// Curves over one axis, with a mark at each point.
package enum LineChart {
    package struct Series {
        package var name: String
        package var colour: String
        package var points: [(x: Double, y: Double)]

        package init(name: String, colour: String, points: [(x: Double, y: Double)]) {
            (self.name, self.colour, self.points) = (name, colour, points)
        }
    }

    /// - Parameters:
    ///   - horizontal: what the x axis shows; a tick for each x of the first series where these are few, else round ones.
    ///   - unit: of the y axis.
    package static func svg(_ series: [Series], horizontal: String, unit: String, range: ClosedRange<Double>? = nil) -> SVG {
        let width = 480.0, left = 46.0, right = 14.0, bottom = 44.0, rows = legend(series, width: width - left - right)
        let top = 30 + 20 * Double(rows.count - 1), height = top + 230
        var picture = SVG(width: Int(width), height: Int(height))
        let xs = series.flatMap { $0.points.map(\.x) }, ys = series.flatMap { $0.points.map(\.y) }
        let scale = AxisScale.of(range.map { [$0.lowerBound, $0.upperBound] } ?? ys), least = xs.min() ?? 0,
            span = max((xs.max() ?? 1) - least, 1e-9)
        func x(_ value: Double) -> Double { left + (value - least) / span * (width - left - right) }
        func y(_ value: Double) -> Double { height - bottom - (value - scale.low) / (scale.high - scale.low) * (height - top - bottom) }
        for value in scale.ticks {
            picture.line(left, y(value), width - right, y(value), stroke: "#e4e4e4")
            picture.label(AxisScale.text(value), left - 6, y(value) + 4, anchor: .end)
        }
        let places = (series.first?.points ?? []).map(\.x), isCrowded = places.count > 20
        let ticks = isCrowded ? AxisScale.of([least, least + span], about: 5).ticks.filter { (least...least + span).contains($0) } : places
        for value in ticks { picture.label(AxisScale.text(value), x(value), height - bottom + 18, anchor: .middle) }
        picture.label(horizontal, (left + width - right) / 2, height - 8, anchor: .middle)
        picture.label(unit, left - 6, 16, anchor: .end)
        for (row, entries) in rows.enumerated() {
            for (at, one) in entries {
                picture.rectangle(left + 10 + at, 8 + 20 * Double(row), 12, 12, fill: one.colour)
                picture.label(one.name, left + 27 + at, 18 + 20 * Double(row))
            }
        }
        for one in series {
            let visible = one.points.filter { $0.y >= scale.low }
            picture.curve(visible.map { (x($0.x), y($0.y)) }, stroke: one.colour, width: 2)
            for point in visible where !isCrowded {
                picture.circle(
                    x(point.x), y(point.y), radius: 3, fill: one.colour,
                    title: "\(one.name), \(AxisScale.text(point.x)): \(AxisScale.text((point.y * 10).rounded() / 10)) \(unit)")
            }
        }
        return picture
    }

    // Names from left to right, in as many rows as they need.
    private static func legend(_ series: [Series], width: Double) -> [[(at: Double, Series)]] {
        var rows: [[(at: Double, Series)]] = [[]], at = 0.0
        for one in series {
            let room = 30 + 7 * Double(one.name.count)
            if at > 0, at + room > width {
                rows.append([])
                at = 0
            }
            rows[rows.count - 1].append((at, one))
            at += room
        }
        return rows
    }
}

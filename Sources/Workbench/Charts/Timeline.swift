/// Bands of labels over time, one row below the other.
package enum Timeline {
    package struct Band {
        package var label: String
        /// Seconds.
        package var from: Double
        package var to: Double

        package init(label: String, from: Double, to: Double) { (self.label, self.from, self.to) = (label, from, to) }
    }

    static let palette = ["#30638e", "#d1495b", "#edae49", "#2e8b57", "#7b5ea7", "#00798c", "#b56576", "#6c757d", "#9bc53d", "#5e4b3c"]

    /// - Parameter labels: they have colours of their own, in this order; any other is grey.
    package static func svg(_ rows: [(name: String, bands: [Band])], labels: [String]) -> SVG {
        let width = 960.0, left = 70.0, right = 12.0, top = 46.0, row = 34.0,
            seconds = max(rows.flatMap { $0.bands.map(\.to) }.max() ?? 1, 1)
        var picture = SVG(width: Int(width), height: Int(top + row * Double(rows.count) + 30))
        func x(_ time: Double) -> Double { left + time / seconds * (width - left - right) }
        func colour(_ label: String) -> String { labels.firstIndex(of: label).map { palette[$0 % palette.count] } ?? "#c8c8c8" }
        var at = left
        for (index, label) in labels.enumerated() {
            // Two rows of names, so that six long ones fit.
            let perRow = (labels.count + 1) / 2
            if index == perRow { at = left }
            let y = index < perRow ? 6.0 : 24.0
            picture.rectangle(at, y, 12, 12, fill: colour(label))
            picture.label(label, at + 17, y + 10)
            at += 40 + 8 * Double(label.count)
        }
        for (index, (name, bands)) in rows.enumerated() {
            let y = top + row * Double(index)
            picture.label(name, left - 8, y + 18, anchor: .end)
            for band in bands {
                picture.rectangle(
                    x(band.from), y, x(band.to) - x(band.from), row - 8, fill: colour(band.label),
                    title: "\(band.label), \(AxisScale.text(band.from.rounded())) to \(AxisScale.text(band.to.rounded())) s")
            }
        }
        let bottom = top + row * Double(rows.count) + 14
        for second in stride(from: 0.0, through: seconds, by: AxisScale.step(seconds, about: 10)) {
            picture.label("\(Int(second)) s", x(second), bottom, anchor: .middle)
        }
        return picture
    }
}

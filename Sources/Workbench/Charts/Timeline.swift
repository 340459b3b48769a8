/// Bands of labels over time, one row below the other.
package enum Timeline {
    package struct Band {
        package var label: String
        /// Seconds.
        package var from: Double
        package var to: Double
        /// What is shown of it on request; nil for its times in the row.
        package var title: String?

        package init(label: String, from: Double, to: Double, title: String? = nil) {
            (self.label, self.from, self.to, self.title) = (label, from, to, title)
        }
    }

    static let palette = ["#30638e", "#d1495b", "#edae49", "#2e8b57", "#7b5ea7", "#00798c", "#b56576", "#6c757d", "#9bc53d", "#5e4b3c"]

    /// The hours of a day, below each other, each row as long as any other.
    ///
    /// - Parameters:
    ///   - rows: with the time of day at which each begins, in hours.
    ///   - hours: of a row.
    ///   - labels: as for ``svg(_:labels:)``.
    package static func day(_ rows: [(hour: Int, bands: [Band])], hours: Int, labels: [String]) -> SVG {
        let width = 480.0, left = 44.0, right = 10.0, row = 34.0, legend = labels + ["not worn"], perRow = 3
        let top = 10 + 18 * Double((legend.count + perRow - 1) / perRow), length = Double(hours) * 3600
        var picture = SVG(width: Int(width), height: Int(top + (row + 14) * Double(rows.count) + 6))
        func x(_ time: Double) -> Double { left + time / length * (width - left - right) }
        func clock(_ seconds: Double, after hour: Int) -> String {
            let minutes = hour * 60 + Int(seconds / 60)
            return "\(minutes / 60 % 24):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
        }
        for (index, label) in legend.enumerated() {
            let at = left + Double(index % perRow) * 145, y = 4 + 18 * Double(index / perRow)
            picture.rectangle(at, y, 11, 11, fill: colour(label, labels))
            picture.label(label, at + 16, y + 10, size: 10)
        }
        for (index, (hour, bands)) in rows.enumerated() {
            let y = top + (row + 14) * Double(index)
            picture.label(clock(0, after: hour), left - 6, y + 17, anchor: .end)
            for band in bands {
                picture.rectangle(
                    x(band.from), y, max(0.4, x(band.to) - x(band.from)), row - 8, fill: colour(band.label, labels),
                    title: band.title ?? "\(band.label), \(clock(band.from, after: hour)) to \(clock(band.to, after: hour))")
            }
            for tick in 0...hours { picture.label("\((hour + tick) % 24)", x(Double(tick) * 3600), y + row + 3, anchor: .middle, size: 9) }
        }
        return picture
    }

    private static func colour(_ label: String, _ labels: [String]) -> String {
        labels.firstIndex(of: label).map { palette[$0 % palette.count] } ?? "#c8c8c8"
    }

    /// - Parameter labels: they have colours of their own, in this order; any other is grey.
    package static func svg(_ rows: [(name: String, bands: [Band])], labels: [String]) -> SVG {
        let width = 960.0, left = 70.0, right = 12.0, top = 46.0, row = 34.0,
            seconds = max(rows.flatMap { $0.bands.map(\.to) }.max() ?? 1, 1)
        var picture = SVG(width: Int(width), height: Int(top + row * Double(rows.count) + 30))
        func x(_ time: Double) -> Double { left + time / seconds * (width - left - right) }
        var at = left
        for (index, label) in labels.enumerated() {
            // Two rows of names, so that six long ones fit.
            let perRow = (labels.count + 1) / 2
            if index == perRow { at = left }
            let y = index < perRow ? 6.0 : 24.0
            picture.rectangle(at, y, 12, 12, fill: colour(label, labels))
            picture.label(label, at + 17, y + 10)
            at += 40 + 8 * Double(label.count)
        }
        for (index, (name, bands)) in rows.enumerated() {
            let y = top + row * Double(index)
            picture.label(name, left - 8, y + 18, anchor: .end)
            for band in bands {
                picture.rectangle(
                    x(band.from), y, x(band.to) - x(band.from), row - 8, fill: colour(band.label, labels),
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

/// Groups of horizontal bars, 0 ... 100 %.
package enum BarChart {
    package static func svg(_ rows: [(label: String, shares: [Double?])], series: [(name: String, colour: String)]) -> SVG {
        let bar = 11.0, gap = 12.0, left = 168.0, right = 52.0, top = 30.0, width = 480.0, group = bar * Double(series.count) + gap
        var picture = SVG(width: Int(width), height: Int(top + group * Double(rows.count) + 8))
        var at = left
        for one in series {
            picture.rectangle(at, 8, 12, 12, fill: one.colour)
            picture.label(one.name, at + 17, 18)
            at += 30 + 7 * Double(one.name.count)
        }
        for (index, row) in rows.enumerated() {
            let y = top + group * Double(index)
            picture.label(row.label, left - 8, y + bar * Double(series.count) / 2 + 4, anchor: .end)
            for (number, share) in row.shares.enumerated() {
                let value = share ?? 0, end = left + value * (width - left - right)
                picture.rectangle(left, y + bar * Double(number), end - left, bar - 1, fill: series[number].colour)
                picture.label(
                    share.map { "\(AxisScale.text(($0 * 1000).rounded() / 10)) %" } ?? "none", end + 5, y + bar * Double(number) + 9,
                    size: 10)
            }
        }
        return picture
    }
}

package import Charts
internal import Support

extension ReportPage {
    /// Matrices beside each other, where there is room.
    package mutating func confusions(_ matrices: [(name: String, matrix: ConfusionMatrix)]) {
        add("<div class=\"pair\">\(matrices.map { "<div class=\"wide\">\(Self.confusion($0, $1))</div>" }.joined())</div>")
    }

    private static func confusion(_ name: String, _ matrix: ConfusionMatrix) -> String {
        let head = matrix.labels.indices.map { "<th>\($0 + 1)</th>" }.joined()
        let rows = matrix.labels.enumerated().map { truth, label in
            let total = max(1, matrix.counts[truth].reduce(0, +))
            let cells = matrix.counts[truth].enumerated().map { decided, count in
                let share = Double(count) / Double(total), opacity = Decimals.text(count == 0 ? 0 : 0.12 + 0.75 * share, places: 2)
                return "<td style=\"background:rgba(\(decided == truth ? "46,139,87" : "209,73,91"),\(opacity))\">\(count)</td>"
            }
            let broken = SVG.escaped(label).replacing("_", with: "_<wbr>").replacing("|", with: "|<wbr>")
            return "<tr><td>\(truth + 1) \(broken)</td>\(cells.joined())</tr>"
        }
        return "<table class=\"confusion\"><tr><th>\(SVG.escaped(name)), true \\ decided</th>\(head)</tr>\(rows.joined())</table>"
    }
}

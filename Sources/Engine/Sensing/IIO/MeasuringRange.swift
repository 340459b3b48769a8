internal import Support

/// How far an accelerometer measures: many chips start at +-2 g, where running and falls are cut off.
extension Accelerometer {
    /// Scales are rounded: +-7.996 g are 8.
    private static let tolerance = 1.02
    /// A step of a count that still shows the small movements of somebody who sits, m/s^2: 8 mg.
    private static let coarsest = 0.0785
    /// Beyond it the width of a driver's words says nothing of the chip behind it, as of a HID sensor's, g: with one scale, with several.
    private static let most = (fixed: 20.0, chosen: 200.0)

    /// It measures +- so many g; nil where its driver does not say.
    package var range: Double? { scales.compactMap(range).min() }

    package func reaches(_ wanted: Int) -> Bool { range.map { $0 * Self.tolerance >= Double(wanted) } ?? true }

    /// The scale with which it measures +-`wanted` g, as its driver writes it: the finest that reaches so far, else the widest, none
    /// coarser than 8 mg. Nil where it reaches already, or has no wider one.
    func scale(reaching wanted: Int) -> String? {
        guard let range, !reaches(wanted), !offeredScales.contains("[") else { return nil }
        let offered = offeredScales.split(separator: " ").compactMap { text in Double(text).map { (text: String(text), scale: $0) } }
        let wider = offered.filter { $0.scale <= Self.coarsest && (self.range($0.text) ?? 0) > range * Self.tolerance }
            .sorted { $0.scale < $1.scale }.map(\.text)
        return wider.first { (self.range($0) ?? 0) * Self.tolerance >= Double(wanted) } ?? wider.last
    }

    /// As a capture that asks for +-`wanted` g sets it.
    package func widened(to wanted: Int) -> Accelerometer {
        var widened = self
        if let scale = scale(reaching: wanted) { widened.scales = scales.map { _ in scale } }
        return widened
    }

    /// What it means that it does not reach +-`wanted` g.
    package func shortRange(of wanted: Int) -> String {
        "it measures +-\(Decimals.text(range ?? 0, places: 1)) g, not +-\(wanted) g: what is stronger is cut off, and falls may be missed"
    }

    // With a scale in m/s^2 per count.
    private func range(_ scale: String) -> Double? {
        guard (2...32).contains(bits), let scale = Double(scale), scale > 0 else { return nil }
        let range = scale * Double(Int64(1) << Int64(bits - 1)) / 9.80665
        return range < (offeredScales.isEmpty ? Self.most.fixed : Self.most.chosen) ? range : nil
    }
}

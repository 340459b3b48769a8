/// Whether a new model does well beside the old one: both see the same windows, first with the new one in the shadow, then with the old
/// one.
package struct ModelTrial: Sendable {
    package struct Settings: Sendable {
        /// Windows in the shadow, and on probation.
        package var shadow: Int
        package var probation: Int
        /// What an inference may take at most, ns.
        package var slowest: Int64 = 640_000_000

        package init(shadow: Int, probation: Int) { (self.shadow, self.probation) = (shadow, probation) }
    }

    package enum Verdict: Sendable, Equatable { case goOn, passed, failed(String) }

    private let windows: Int
    private let slowest: Int64
    private var seen = 0
    private var candidate: [String: Int] = [:], incumbent: [String: Int] = [:]

    package init(windows: Int, slowest: Int64) { (self.windows, self.slowest) = (windows, slowest) }

    /// Share of the windows that were seen.
    package var progress: Double { min(1, Double(seen) / Double(max(1, windows))) }

    /// One window's decisions.
    ///
    /// - Parameter duration: of the inference in the shadow, ns.
    package mutating func take(candidate label: String, incumbent other: String, duration: Int64) -> Verdict {
        seen += 1
        candidate[label, default: 0] += 1
        incumbent[other, default: 0] += 1
        if duration > slowest { return .failed("an inference took \(duration / 1_000_000) ms, which stalls the loop") }
        guard seen >= windows else { return .goOn }
        // Somebody may sit for hours: one class alone is wrong where the old model sees more, and not in passing.
        let others = seen - (incumbent.values.max() ?? 0)
        if candidate.count == 1, others >= 4, others * 5 > seen {
            return .failed(
                "it says \(label) in all of \(seen) windows, in which the old one says \(incumbent.keys.sorted().joined(separator: ", "))")
        }
        return .passed
    }
}

package import Charts

extension Evaluation.Played {
    /// What the wearer did above what was shown.
    ///
    /// - Parameter labels: of the network; they have colours of their own.
    package func picture(labels: [String]) -> SVG {
        func bands(_ stretches: [EventScore.Stretch]) -> [Timeline.Band] {
            stretches.map { .init(label: $0.label, from: Double($0.range.lowerBound) / 50, to: Double($0.range.upperBound) / 50) }
        }
        return Timeline.svg([("true", bands(truth)), ("shown", bands(EventScore.stretches(shown)))], labels: labels)
    }
}

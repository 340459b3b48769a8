/// How often each true class was decided as each class.
package struct ConfusionMatrix: Sendable, Equatable {
    package let labels: [String]
    /// [truth][decision]
    package private(set) var counts: [[Int]]

    package init(labels: [String]) {
        self.labels = labels
        counts = labels.map { _ in labels.map { _ in 0 } }
    }

    package mutating func count(truth: Int, decided: Int) { counts[truth][decided] += 1 }

    package var windows: Int { counts.reduce(0) { $0 + $1.reduce(0, +) } }
    package var right: Int { labels.indices.reduce(0) { $0 + counts[$1][$1] } }
    /// 0 ... 1; 0 without windows.
    package var accuracy: Double { windows == 0 ? 0 : Double(right) / Double(windows) }

    /// Of the windows decided as `label`, the share that are; nil when there are none.
    package func precision(_ label: Int) -> Double? {
        let decided = labels.indices.reduce(0) { $0 + counts[$1][label] }
        return decided == 0 ? nil : Double(counts[label][label]) / Double(decided)
    }

    /// Of the windows that are `label`, the share decided so; nil when there are none.
    package func recall(_ label: Int) -> Double? {
        let true_ = counts[label].reduce(0, +)
        return true_ == 0 ? nil : Double(counts[label][label]) / Double(true_)
    }
}

internal import Models

/// Chooses examples of each class for a model to carry.
struct ExemplarPicker {
    /// Of each class.
    static let most = 24

    private var byLabel: [[[Int16]]]

    init(labels: Int) { byLabel = [[[Int16]]](repeating: [], count: labels) }

    mutating func take(_ values: [Int16], label: Int) { byLabel[label].append(values) }

    /// Evenly over what was taken.
    var exemplars: Exemplars {
        var chosen = Exemplars(labels: [], values: [])
        for (label, values) in byLabel.enumerated() {
            let count = min(Self.most, values.count)
            for index in 0..<count {
                chosen.labels.append(label)
                chosen.values.append(values[index * values.count / count])
            }
        }
        return chosen
    }
}

internal import Conversion
internal import NeuralNetwork

/// Chooses examples of each class for a model to carry.
struct ExemplarPicker {
    /// Of each class.
    static let most = 24

    private var byLabel: [[[Int16]]]

    init(labels: Int) { byLabel = [[[Int16]]](repeating: [], count: labels) }

    /// What the last layer read is among the tensors of an inference.
    mutating func take(_ tensors: [[Int16]], of network: Network, label: Int) {
        take(network.embedding(in: tensors), label: label)
    }

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

extension CompiledNetwork {
    /// All tensors of an inference on a row of Q3.12.
    mutating func observe(_ row: [Int16], of network: Network) -> [[Int16]] {
        observe(row.map { network.input.quantised(Double($0) * 0x1p-12) })
    }
}

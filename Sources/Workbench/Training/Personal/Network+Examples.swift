internal import Conversion
package import NeuralNetwork
package import Support

extension Network {
    // What is wider makes the file larger than it is worth; windows beyond so many say nothing new.
    private static let widestExample = 512, mostWindows = 20_000

    /// The network with examples of its classes, so that ``FineTuning`` can teach it more of them; without where the rows have none of some
    /// class, or its last layer is not dense.
    ///
    /// - Parameter rows: labelled windows, in their order.
    /// - Throws: `.badData` when the network cannot be run.
    package func carryingExamples(of rows: CalibrationRows) throws(Fault) -> Network {
        guard lastWeights != nil, output != .independent, lastSource.count <= Self.widestExample else { return self }
        let step = max(1, rows.count / Self.mostWindows)
        var picker = ExemplarPicker(labels: labels.count), compiled = try CompiledNetwork(self), seen: Set<Int> = []
        for index in stride(from: 0, to: rows.count, by: step) {
            guard let label = rows.label(index).flatMap({ labels.firstIndex(ignoringCaseOf: $0) }), let samples = rows.samples(index) else {
                continue
            }
            picker.take(compiled.observe(samples, of: self), of: self, label: label)
            seen.insert(label)
        }
        guard seen.count == labels.count else { return self }
        var network = self
        network.exemplars = picker.exemplars
        return network
    }
}

package import CrowdLearning
package import NeuralNetwork
package import Support
package import Training

extension CrowdData {
    /// One person's labelled windows as the fixed-point front end gives them, and a constant; L1-normalised, as the noise's promise
    /// demands.
    ///
    /// - Parameter input: what of a window is learnt from; not ``NetworkInput/features``, which no window makes.
    /// - Throws: `.badData` when there is none.
    package init(_ set: TrainingSet, subject: Int, _ input: NetworkInput) throws(Fault) {
        let rows = set.rows(of: subject, input)
        guard let first = rows.first, !first.row.isEmpty else {
            throw Fault(.badData, "there are no windows of subject \(subject) to make \(input.rawValue) of")
        }
        // The constant is 1 g, as large as gravity.
        var features: [Double] = []
        for (_, row) in rows { features += row.map { Double($0) * 0x1p-12 } + [1] }
        self = try CrowdData(features: features, dimension: first.row.count + 1, labels: rows.map(\.label)).normalised()
    }
}

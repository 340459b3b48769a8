internal import Support

extension CrowdModel {
    /// The mean over a batch of the loss's gradient, and the weight decay's.
    ///
    /// - Parameters:
    ///   - decay: lambda.
    ///   - convention: whose lambda: the gradient of lambda/2 |w|² (the paper, Python) or of lambda |w|².
    /// - Returns: `length` numbers.
    package func gradient(
        _ weights: [Double], of batch: [Int], in data: CrowdData, decay: Double = 0, as convention: ClientConvention = .paper
    ) -> [Double] {
        var sum = [Double](repeating: 0, count: length)
        for row in batch { add(data.features(of: row), data.labels[row], weights, to: &sum) }
        let share = batch.isEmpty ? 0 : 1 / Double(batch.count), decay = decay * convention.decayFactor(loss)
        for index in sum.indices { sum[index] = sum[index] * share + decay * weights[index] }
        return sum
    }

    private func add(_ x: ArraySlice<Double>, _ label: Int, _ weights: [Double], to sum: inout [Double]) {
        switch loss {
        case .logistic:
            let y = label > 0 ? 1.0 : -1.0, margin = y * dot(x, weights[...])
            // 1 / (1 + exp(m)) without a power that overflows.
            let share = margin > 0 ? Exponential.exp(-margin) / (1 + Exponential.exp(-margin)) : 1 / (1 + Exponential.exp(margin))
            add(x, times: -y * share, to: &sum, at: 0)
        case .hinge:
            let y = label > 0 ? 1.0 : -1.0
            if y * dot(x, weights[...]) < 1 { add(x, times: -y, to: &sum, at: 0) }
        case .softmax:
            for (k, p) in softmax(scores(x, weights)).enumerated() { add(x, times: k == label ? p - 1 : p, to: &sum, at: k * features) }
        case .network: SoftmaxNetwork(self, weights).addGradient(x, label, to: &sum)
        }
    }

    private func add(_ x: ArraySlice<Double>, times factor: Double, to sum: inout [Double], at start: Int) {
        for (index, value) in x.enumerated() { sum[start + index] += factor * value }
    }
}

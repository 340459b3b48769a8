internal import Support

/// Mini-batch training of a two-layer network: soft-max cross-entropy, Adam.
struct Learner {
    private(set) var network: FloatNetwork
    private var moments: [Moments]
    private var adam = Adam()
    private let batch: Int
    private var hidden: Matrix, output: Matrix, hiddenError: Matrix

    init(_ network: FloatNetwork, batch: Int) {
        self.network = network
        self.batch = batch
        // In the order weights, bias of each layer.
        moments = zip(network.weights, network.biases).flatMap { [Moments(like: $0), Moments(like: $1)] }
        hidden = Matrix(batch, network.weights[0].columns)
        output = Matrix(batch, network.weights[1].columns)
        hiddenError = hidden
    }

    /// Class scores of the first `rows` rows of `inputs`, in `output`.
    private mutating func forward(_ inputs: Matrix, rows: Int) {
        hidden.setProduct(inputs, network.weights[0], rows: rows)
        hidden.add(network.biases[0], rows: rows, floor: 0)
        output.setProduct(hidden, network.weights[1], rows: rows)
        output.add(network.biases[1], rows: rows, floor: -.infinity)
    }

    /// What the network gives for up to `batch` rows: hidden layer and class scores.
    mutating func evaluate(_ inputs: Matrix, rows: Int) -> (hidden: Matrix, scores: Matrix) {
        forward(inputs, rows: rows)
        return (hidden, output)
    }

    /// One step on `rows` examples. `labels` are class indices, `smoothing` the share of the target spread over all classes.
    mutating func step(_ inputs: Matrix, labels: ArraySlice<Int>, rate: Float, decay: Float, smoothing: Float) {
        let rows = labels.count
        forward(inputs, rows: rows)
        // The error of soft-max cross-entropy, in place of the scores.
        for (row, label) in labels.enumerated() { output.subtractTargets(row, label: label, spread: smoothing) { $0 / Float(rows) } }
        moments[2].gradient.setProduct(transposed: hidden, output, depth: rows)
        moments[3].gradient.setSums(output, rows: rows)
        hiddenError.setProduct(output, network.weights[1].transposed(), rows: rows)
        hiddenError.clear(where: hidden, rows: rows)
        moments[0].gradient.setProduct(transposed: inputs, hiddenError, depth: rows)
        moments[1].gradient.setSums(hiddenError, rows: rows)
        adam.step(rate: rate)
        for layer in 0..<2 {
            adam.update(&network.weights[layer], &moments[2 * layer], decay: decay)
            adam.update(&network.biases[layer], &moments[2 * layer + 1], decay: 0)
        }
    }

    static func softmax(_ scores: [Double]) -> [Double] {
        let top = scores.reduce(-.infinity, max)
        let powers = scores.map { Exponential.exp($0 - top) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
    }
}

extension Matrix {
    /// A row of class scores to the errors of soft-max cross-entropy, each weighed.
    ///
    /// - Parameter spread: share of the target that all classes have alike; `label` has the rest.
    mutating func subtractTargets(_ row: Int, label: Int, spread: Float, weighed: (Float) -> Float) {
        let shares = Learner.softmax((0..<columns).map { Double(self[row, $0]) })
        for column in 0..<columns {
            let target = (column == label ? 1 - spread : 0) + spread / Float(columns)
            self[row, column] = weighed(Float(shares[column]) - target)
        }
    }
}

/// D - h - h - K with ReLU, and soft-max at the end.
struct SoftmaxNetwork {
    /// One layer's place among the weights: [inputs][outputs], then the biases.
    private struct Layer {
        var inputs: Int, outputs: Int, start: Int
        var biases: Int { start + inputs * outputs }
    }

    private let weights: [Double]
    private let layers: [Layer]

    init(_ model: CrowdModel, _ weights: [Double]) {
        self.weights = weights
        var start = 0
        layers = [(model.features, model.hidden), (model.hidden, model.hidden), (model.hidden, model.classes)].map { inputs, outputs in
            defer { start += (inputs + 1) * outputs }
            return Layer(inputs: inputs, outputs: outputs, start: start)
        }
    }

    func scores(_ x: ArraySlice<Double>) -> [Double] { values(x)[3] }

    // The input and what each layer gives; hidden ones after ReLU.
    private func values(_ x: ArraySlice<Double>) -> [[Double]] {
        var values = [Array(x)]
        for (index, layer) in layers.enumerated() {
            var out = Array(weights[layer.biases..<layer.biases + layer.outputs])
            for (row, input) in values[index].enumerated() where input != 0 {
                let start = layer.start + row * layer.outputs
                for column in out.indices { out[column] += input * weights[start + column] }
            }
            values.append(index < 2 ? out.map { max(0, $0) } : out)
        }
        return values
    }

    func addGradient(_ x: ArraySlice<Double>, _ label: Int, to sum: inout [Double]) {
        let values = values(x)
        var error = softmax(values[3])
        error[label] -= 1
        for index in [2, 1, 0] {
            let layer = layers[index], inputs = values[index]
            var before = [Double](repeating: 0, count: layer.inputs)
            for column in error.indices { sum[layer.biases + column] += error[column] }
            for (row, input) in inputs.enumerated() where index == 0 || input > 0 {
                let start = layer.start + row * layer.outputs
                for column in error.indices {
                    sum[start + column] += input * error[column]
                    before[row] += weights[start + column] * error[column]
                }
            }
            error = before
        }
    }
}

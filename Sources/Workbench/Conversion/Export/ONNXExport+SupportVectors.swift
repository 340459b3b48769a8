internal import NeuralNetwork

extension ONNXExport {
    /// Weighted sums of a kernel's values at a tensor's row and each vector.
    mutating func sums(_ support: SupportVectors, _ index: Int, _ name: String) -> String {
        let layer = network.layers[index], source = tensor(layer.sources[0]), scale = source.quantisation.scale
        let real = FloatSupportVectors(support, source: scale, result: layer.output.quantisation.scale)
        let row = shaped(row(layer.sources[0]), [source.count], from: source.extents, name), values: String
        switch real.kernel {
        case .radial:
            let square = graph.append("ReduceSumSquare", [row], [("axes", .integers([1]))], name: "\(name)_square")
            let products = gemm(row, real.vectors.map { -2 * $0 }, real.squares, "\(name)_products")
            let distances = graph.append("Add", [products, square], name: "\(name)_distances")
            let gamma = graph.constant([Float(-real.gamma)], [], name: "\(name)_gamma")
            values = graph.append("Exp", [graph.append("Mul", [distances, gamma], name: "\(name)_argument")], name: "\(name)_kernel")
        case .polynomial(let degree, let offset):
            let exponent = graph.constant([Float(degree)], [], name: "\(name)_degree")
            values = graph.append("Pow", [products(real, row, offset, name), exponent], name: "\(name)_kernel")
        case .sigmoid(let offset): values = graph.append("Tanh", [products(real, row, offset, name)], name: "\(name)_kernel")
        }
        let sums = gemm(values, real.weights.values, real.weights.bias, name)
        return shaped(sums, layer.output.extents, from: [layer.output.count], name)
    }

    private mutating func products(_ real: FloatSupportVectors, _ row: String, _ offset: Double, _ name: String) -> String {
        let offsets = [Float](repeating: Float(offset), count: real.count)
        return gemm(row, real.vectors.map { Float(real.gamma * Double($0)) }, offsets, "\(name)_products")
    }

    // matrix: [outputs][inputs]
    private mutating func gemm(_ row: String, _ matrix: [Float], _ bias: [Float], _ name: String) -> String {
        let weights = graph.constant(matrix, [bias.count, matrix.count / max(bias.count, 1)], name: "\(name)_weight")
        let added = graph.constant(bias, [bias.count], name: "\(name)_bias")
        return graph.append("Gemm", [row, weights, added], [("transB", .integer(1))], name: name)
    }
}

extension FloatSupportVectors {
    /// What integers stand for.
    fileprivate init(_ support: SupportVectors, source scale: Double, result: Double) {
        let one = Double(sign: .plus, exponent: support.fraction, significand: 1), square = scale * scale / one
        // Of powers in parts of the largest product, as the coefficients are.
        gamma = support.argument.value / (support.degree > 0 ? 0x1p30 : 0x1p26) / square
        let offset = gamma * Double(support.added.first ?? 0) * square
        switch support.degree {
        case 0: kernel = .radial
        case -1: kernel = .sigmoid(offset: offset)
        default: kernel = .polynomial(degree: support.degree, offset: offset)
        }
        vectors = support.vectors.map { Float(Double($0) / one * scale) }
        weights = FloatWeights(inputs: support.count, outputs: support.outputs, values: [], bias: [])
        for (index, multiplier) in support.multipliers.enumerated() {
            let step = multiplier.value * result * 0x1p11
            let row = support.coefficients[index * support.count..<(index + 1) * support.count]
            weights.values += row.map { Float(Double($0) * step) }
            weights.bias.append(Float(Double(support.bias[index]) * step * 0x1p-27))
        }
    }

    fileprivate var squares: [Float] {
        (0..<count).map { index in
            Float(vectors[index * inputs..<(index + 1) * inputs].reduce(0) { $0 + Double($1) * Double($1) })
        }
    }
}

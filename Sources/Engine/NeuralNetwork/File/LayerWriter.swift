internal import Support

/// The tensors of a layer, for a file. Biases that are all zero are left out.
enum LayerWriter {
    static func add(_ layer: Layer, _ index: Int, input: IntegerType, to file: inout Safetensors) {
        let fields = layer.operation.fields
        if let table = fields.table {
            file.tensors["\(index).table"] =
                layer.output.type == .int8
                ? .init(table.map { Int8(clamping: $0) }, shape: [table.count]) : .init(table, shape: [table.count])
        }
        if let places = fields.places { file.tensors["\(index).places"] = .init(places, shape: [places.count]) }
        if let forest = fields.forest {
            let count = forest.features.count, classes = layer.output.count
            file.tensors["\(index).features"] = .init(forest.features, shape: [count])
            file.tensors["\(index).thresholds"] = .init(forest.thresholds, shape: [count])
            file.tensors["\(index).children"] = .init(forest.children, shape: [count])
            file.tensors["\(index).roots"] = .init(forest.roots, shape: [forest.roots.count])
            file.tensors["\(index).values"] = .init(forest.values, shape: [forest.values.count / classes, classes])
        }
        if let support = fields.support {
            let outputs = support.outputs
            file.tensors["\(index).vectors"] = .init(support.vectors, shape: [support.count, support.inputs])
            file.tensors["\(index).added"] = .init(support.added, shape: [support.count])
            file.tensors["\(index).coefficients"] = .init(support.coefficients, shape: [outputs, support.count])
            file.tensors["\(index).bias"] = .init(support.bias, shape: [outputs])
            file.tensors["\(index).multiplier"] = .init(support.multipliers.map(\.multiplier), shape: [outputs])
            file.tensors["\(index).shift"] = .init(support.multipliers.map { Int8(clamping: $0.shift) }, shape: [outputs])
        }
        for (prefix, weights) in zip(["\(index).", "\(index).recurrent_"], fields.weights) {
            let shape = [weights.outputs, weights.inputs]
            file.tensors[prefix + "weight"] =
                weights.type == .int16
                ? .init(weights.values, shape: shape) : .init(weights.values.map { Int8(clamping: $0) }, shape: shape)
            file.tensors[prefix + "multiplier"] = .init(weights.multipliers.map(\.multiplier), shape: [weights.outputs])
            file.tensors[prefix + "shift"] = .init(weights.multipliers.map { Int8(clamping: $0.shift) }, shape: [weights.outputs])
            guard weights.bias.contains(where: { $0 != 0 }) else { continue }
            file.tensors[prefix + "bias"] =
                input == .int8
                ? .init(weights.bias.map { Int32(clamping: $0) }, shape: [weights.outputs]) : .init(weights.bias, shape: [weights.outputs])
        }
    }
}

internal import Support

/// A layer's entry in the metadata; its weights are tensors. What an operation does not have is left out.
struct LayerDescription: Codable {
    var kind: String
    var sources: [Int]
    var type: IntegerType
    /// [height, width, channels]
    var shape: [Int]
    var scale: Double
    var zeroPoint: Int
    /// Lowest and highest integer.
    var limits: [Int]
    var rounding: Rounding?
    var window: KernelShape?
    /// [multiplier, shift] of each factor.
    var factors: [[Int32]]?
    var cellFraction: Int?
    var cellClip: Int?
    var axis: Int?
    package var first: Int?
    var factor: Int?
    var shift: Int?
    var resetAfter: Bool?

    enum CodingKeys: String, CodingKey {
        case kind, sources, type, shape, scale, limits, rounding, window, factors, axis, first, factor, shift
        case zeroPoint = "zero_point"
        case cellFraction = "cell_fraction"
        case cellClip = "cell_clip"
        case resetAfter = "reset_after"
    }

    init(_ layer: Layer) {
        kind = layer.kind.rawValue
        sources = layer.sources
        type = layer.output.type
        shape = [layer.output.height, layer.output.width, layer.output.channels]
        scale = layer.output.quantisation.scale
        zeroPoint = layer.output.quantisation.zeroPoint
        limits = [layer.limits.lowerBound, layer.limits.upperBound]
        rounding = layer.weights.first?.rounding
        func pair(_ multiplier: Multiplier) -> [Int32] { [multiplier.multiplier, multiplier.shift] }
        switch layer.operation {
        case .dense, .lookup, .gather, .constant, .maximum, .minimum: break
        case .convolution(_, let sliding), .depthwise(_, let sliding), .averagePool(let sliding), .maxPool(let sliding): window = sliding
        case .lstm(let lstm): (factors, cellFraction, cellClip) = ([pair(lstm.multiplier)], lstm.cellFraction, lstm.cellClip)
        case .gru(let gru): (factors, resetAfter) = ([pair(gru.multiplier)], gru.resetAfter ? true : nil)
        case .mean(let multiplier), .rescale(let multiplier), .multiply(let multiplier), .divide(let multiplier),
            .matrixProduct(let multiplier),
            .softmax(let multiplier):
            factors = [pair(multiplier)]
        case .add(let left, let right, let sum), .subtract(let left, let right, let sum): factors = [pair(left), pair(right), pair(sum)]
        case .forest(let forest): factors = [pair(forest.multiplier)]
        case .concatenation(let along): axis = along
        case .slice(let from): first = from
        case .sigmoid(let by, let right), .tanh(let by, let right): (factor, shift) = (by, right)
        }
    }
}

/// Tensors of a model file by layer, with faults that name them.
struct LayerReader {
    var file: Safetensors
    var reader: MetadataReader
    /// How many tensors have been asked for.
    private(set) var used = 0

    init(_ file: Safetensors, _ reader: MetadataReader) { (self.file, self.reader) = (file, reader) }

    mutating func layer(_ index: Int, _ description: LayerDescription, input: IntegerType) throws(Fault) -> Layer {
        func bad(_ what: String) -> Fault { reader.bad("layer \(index) (\(description.kind)) \(what)") }
        let extents = description.shape, limits = description.limits
        guard Tensor.canHave(extents) else { throw bad("has the shape \(extents)") }
        guard limits.count == 2, limits[0] <= limits[1], description.type.range.contains(limits[0]),
            description.type.range.contains(limits[1])
        else {
            throw bad("has the limits \(limits)")
        }
        guard description.scale.isFinite, description.scale > 0, description.type.range.contains(description.zeroPoint) else {
            throw bad("has a scale or zero point out of range")
        }
        let output = Tensor(
            description.type, height: extents[0], width: extents[1], channels: extents[2],
            quantisation: Quantisation(scale: description.scale, zeroPoint: description.zeroPoint))
        let operation = try operation(index, description, input: input)
        return Layer(operation, sources: description.sources, output: output, limits: limits[0]...limits[1])
    }

    private mutating func operation(_ index: Int, _ description: LayerDescription, input: IntegerType) throws(Fault) -> Operation {
        func need<Value>(_ value: Value?, _ name: String) throws(Fault) -> Value {
            guard let value else { throw reader.bad("layer \(index) (\(description.kind)) has no \"\(name)\"") }
            return value
        }
        func factor(_ at: Int) throws(Fault) -> Multiplier {
            guard let pair = description.factors?.dropFirst(at).first, pair.count == 2 else {
                throw reader.bad("layer \(index) (\(description.kind)) has no factor \(at)")
            }
            return Multiplier(multiplier: pair[0], shift: pair[1])
        }
        guard let kind = LayerKind(rawValue: description.kind) else {
            throw reader.bad("layer \(index) is a \"\(description.kind)\", which this program does not know")
        }
        switch kind {
        case .dense: return .dense(try weights("\(index).", description.rounding, beside: input))
        case .convolution:
            return .convolution(try weights("\(index).", description.rounding, beside: input), try need(description.window, "window"))
        case .depthwise:
            return .depthwise(try weights("\(index).", description.rounding, beside: input), try need(description.window, "window"))
        case .lstm:
            return .lstm(
                LSTM(
                    weights: try weights("\(index).", description.rounding, beside: input),
                    recurrent: try weights("\(index).recurrent_", description.rounding, beside: input),
                    cellFraction: try need(description.cellFraction, "cell_fraction"), cellClip: description.cellClip ?? 0,
                    multiplier: try factor(0)))
        case .gru:
            let weights = try weights("\(index).", description.rounding, beside: input)
            return .gru(
                GRU(
                    weights: weights, recurrent: try self.weights("\(index).recurrent_", description.rounding, beside: input),
                    multiplier: try factor(0), resetAfter: description.resetAfter ?? false))
        case .averagePool: return .averagePool(try need(description.window, "window"))
        case .maxPool: return .maxPool(try need(description.window, "window"))
        case .mean: return .mean(try factor(0))
        case .add: return .add(try factor(0), try factor(1), try factor(2))
        case .concatenation: return .concatenation(axis: try need(description.axis, "axis"))
        case .slice: return .slice(first: try need(description.first, "first"))
        case .lookup:
            return .lookup(try table(index, description.type, count: description.type == .int8 ? 256 : 513))
        case .sigmoid: return .sigmoid(factor: try need(description.factor, "factor"), shift: try need(description.shift, "shift"))
        case .tanh: return .tanh(factor: try need(description.factor, "factor"), shift: try need(description.shift, "shift"))
        case .rescale: return .rescale(try factor(0))
        case .gather:
            let places = try tensor("\(index).places", .int32, rank: 1), count = description.shape.reduce(1, *)
            guard places.shape == [count] else {
                throw reader.bad("layer \(index) has \(places.shape[0]) places for \(count) numbers")
            }
            return .gather(places.int32)
        case .constant: return .constant(try table(index, description.type, count: description.shape.reduce(1, *)))
        case .subtract: return .subtract(try factor(0), try factor(1), try factor(2))
        case .multiply: return .multiply(try factor(0))
        case .divide: return .divide(try factor(0))
        case .maximum: return .maximum
        case .minimum: return .minimum
        case .matrixProduct: return .matrixProduct(try factor(0))
        case .softmax: return .softmax(try factor(0))
        case .forest: return .forest(try forest(index, classes: description.shape.reduce(1, *), try factor(0)))
        }
    }

    private mutating func forest(_ index: Int, classes: Int, _ multiplier: Multiplier) throws(Fault) -> Forest {
        let features = try tensor("\(index).features", .int16, rank: 1), thresholds = try tensor("\(index).thresholds", .int16, rank: 1)
        let children = try tensor("\(index).children", .int32, rank: 1), roots = try tensor("\(index).roots", .int32, rank: 1)
        let values = try tensor("\(index).values", .int16, rank: 2)
        guard thresholds.shape == features.shape, children.shape == features.shape, values.shape[1] == classes else {
            throw reader.bad("layer \(index)'s trees have \(features.shape[0]) nodes and values of the shape \(values.shape)")
        }
        return Forest(
            features: features.int16, thresholds: thresholds.int16, children: children.int32, roots: roots.int32, values: values.int16,
            multiplier: multiplier)
    }

    private mutating func table(_ index: Int, _ type: IntegerType, count: Int) throws(Fault) -> [Int16] {
        let table = try tensor("\(index).table", type == .int8 ? .int8 : .int16, rank: 1)
        guard table.shape == [count] else { throw reader.bad("layer \(index)'s table has \(table.shape[0]) entries, not \(count)") }
        return type == .int8 ? table.int8.map { Int16($0) } : table.int16
    }

    private mutating func tensor(_ name: String, _ kind: Safetensors.Kind, rank: Int) throws(Fault) -> Safetensors.Tensor {
        guard let found = file.tensors[name] else { throw reader.bad("tensor \(name) is missing") }
        guard found.kind == kind, found.shape.count == rank else {
            throw reader.bad("tensor \(name) is \(found.kind.rawValue) \(found.shape), not \(kind.rawValue) of rank \(rank)")
        }
        used += 1
        return found
    }

    private mutating func weights(_ prefix: String, _ rounding: Rounding?, beside input: IntegerType) throws(Fault) -> Weights {
        guard let rounding else { throw reader.bad("the layer of tensor \(prefix)weight has no \"rounding\"") }
        let type: IntegerType = file.tensors[prefix + "weight"]?.kind == .int16 ? .int16 : .int8
        let weight = try tensor(prefix + "weight", type == .int16 ? .int16 : .int8, rank: 2)
        let (outputs, inputs) = (weight.shape[0], weight.shape[1])
        let multiplier = try tensor(prefix + "multiplier", .int32, rank: 1), shift = try tensor(prefix + "shift", .int8, rank: 1)
        var bias = [Int64](repeating: 0, count: outputs)
        if file.tensors[prefix + "bias"] != nil {
            bias =
                input == .int8
                ? try tensor(prefix + "bias", .int32, rank: 1).int32.map(Int64.init) : try tensor(prefix + "bias", .int64, rank: 1).int64
        }
        guard bias.count == outputs, multiplier.shape == [outputs], shift.shape == [outputs] else {
            throw reader.bad(
                """
                \(prefix)weight has \(outputs) outputs, with \(bias.count) biases, \(multiplier.shape[0]) multipliers and \
                \(shift.shape[0]) shifts
                """
            )
        }
        return Weights(
            type: type, inputs: inputs, outputs: outputs, values: type == .int16 ? weight.int16 : weight.int8.map(Int16.init), bias: bias,
            multipliers: zip(multiplier.int32, shift.int8).map { Multiplier(multiplier: $0, shift: Int32($1)) }, rounding: rounding)
    }
}

/// The tensors of a layer, for a file. Biases that are all zero are left out.
enum LayerWriter {
    static func add(_ layer: Layer, _ index: Int, input: IntegerType, to file: inout Safetensors) {
        switch layer.operation {
        case .lookup(let table), .constant(let table):
            file.tensors["\(index).table"] =
                layer.output.type == .int8
                ? .init(table.map { Int8(clamping: $0) }, shape: [table.count]) : .init(table, shape: [table.count])
        case .forest(let forest):
            let count = forest.features.count, classes = layer.output.count
            file.tensors["\(index).features"] = .init(forest.features, shape: [count])
            file.tensors["\(index).thresholds"] = .init(forest.thresholds, shape: [count])
            file.tensors["\(index).children"] = .init(forest.children, shape: [count])
            file.tensors["\(index).roots"] = .init(forest.roots, shape: [forest.roots.count])
            file.tensors["\(index).values"] = .init(forest.values, shape: [forest.values.count / classes, classes])
        case .gather(let places): file.tensors["\(index).places"] = .init(places, shape: [places.count])
        default: break
        }
        for (prefix, weights) in zip(["\(index).", "\(index).recurrent_"], layer.weights) {
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

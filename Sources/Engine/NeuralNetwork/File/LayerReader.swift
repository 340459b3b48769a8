internal import Support

/// Reads one layer and its tensors out of a model file, with faults that name them.
struct LayerReader {
    let file: Safetensors
    let reader: MetadataReader
    let index: Int
    let entry: LayerDescription
    /// The type of what the layer reads.
    let input: IntegerType
    /// How many tensors have been asked for.
    private(set) var used = 0

    init(_ file: Safetensors, _ reader: MetadataReader, _ index: Int, _ entry: LayerDescription, input: IntegerType) {
        (self.file, self.reader, self.index, self.entry, self.input) = (file, reader, index, entry, input)
    }

    mutating func layer() throws(Fault) -> Layer {
        let extents = entry.shape, limits = entry.limits
        guard Tensor.canHave(extents) else { throw bad("has the shape \(extents)") }
        guard limits.count == 2, limits[0] <= limits[1], entry.type.range.contains(limits[0]),
            entry.type.range.contains(limits[1])
        else {
            throw bad("has the limits \(limits)")
        }
        guard Quantisation.scales.contains(entry.scale), entry.type.range.contains(entry.zeroPoint) else {
            throw bad("has a scale or zero point out of range")
        }
        let output = Tensor(
            entry.type, height: extents[0], width: extents[1], channels: extents[2],
            quantisation: Quantisation(scale: entry.scale, zeroPoint: entry.zeroPoint))
        guard let kind = LayerKind(rawValue: entry.kind) else {
            throw reader.bad("layer \(index) is a \"\(entry.kind)\", which this program does not know")
        }
        return Layer(try Operation(kind, &self), sources: entry.sources, output: output, limits: limits[0]...limits[1])
    }

    private func bad(_ what: String) -> Fault { reader.bad("layer \(index) (\(entry.kind)) \(what)") }

    func need<Value>(_ key: LayerDescription.CodingKeys, _ value: Value?) throws(Fault) -> Value {
        guard let value else { throw bad("has no \"\(key.rawValue)\"") }
        return value
    }

    func factor(_ at: Int) throws(Fault) -> Multiplier {
        guard let pair = entry.factors?.dropFirst(at).first, pair.count == 2 else { throw bad("has no factor \(at)") }
        return Multiplier(multiplier: pair[0], shift: pair[1])
    }

    mutating func weights() throws(Fault) -> Weights { try weights("\(index).", entry.rounding, beside: input) }

    mutating func recurrentWeights() throws(Fault) -> Weights {
        try weights("\(index).recurrent_", entry.rounding, beside: input)
    }

    mutating func places() throws(Fault) -> [Int32] {
        let places = try tensor("\(index).places", .int32, rank: 1)
        guard places.shape == [entry.elements] else {
            throw reader.bad("layer \(index) has \(places.shape[0]) places for \(entry.elements) numbers")
        }
        return places.int32
    }

    mutating func forest() throws(Fault) -> Forest {
        let features = try tensor("\(index).features", .int16, rank: 1), thresholds = try tensor("\(index).thresholds", .int16, rank: 1)
        let children = try tensor("\(index).children", .int32, rank: 1), roots = try tensor("\(index).roots", .int32, rank: 1)
        let values = try tensor("\(index).values", .int16, rank: 2)
        guard thresholds.shape == features.shape, children.shape == features.shape, values.shape[1] == entry.elements else {
            throw reader.bad("layer \(index)'s trees have \(features.shape[0]) nodes and values of the shape \(values.shape)")
        }
        return Forest(
            features: features.int16, thresholds: thresholds.int16, children: children.int32, roots: roots.int32, values: values.int16,
            multiplier: try factor(0))
    }

    mutating func supportVectors() throws(Fault) -> SupportVectors {
        let vectors = try tensor("\(index).vectors", .int32, rank: 2), added = try tensor("\(index).added", .int64, rank: 1)
        let coefficients = try tensor("\(index).coefficients", .int32, rank: 2), bias = try tensor("\(index).bias", .int64, rank: 1)
        let multiplier = try tensor("\(index).multiplier", .int32, rank: 1), shift = try tensor("\(index).shift", .int8, rank: 1)
        let count = vectors.shape[0], outputs = entry.elements
        guard added.shape == [count], coefficients.shape == [outputs, count], bias.shape == [outputs], multiplier.shape == [outputs],
            shift.shape == [outputs]
        else {
            throw reader.bad("layer \(index) has vectors of the shape \(vectors.shape) and coefficients of \(coefficients.shape)")
        }
        return SupportVectors(
            degree: try need(.degree, entry.degree), fraction: try need(.fraction, entry.fraction), vectors: vectors.int32,
            added: added.int64, argument: try factor(0), coefficients: coefficients.int32, bias: bias.int64,
            multipliers: Multiplier.each(multiplier.int32, shift.int8))
    }

    /// Integers of the output's type.
    mutating func table(_ count: Int) throws(Fault) -> [Int16] {
        let type = entry.type, table = try tensor("\(index).table", type == .int8 ? .int8 : .int16, rank: 1)
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
            multipliers: Multiplier.each(multiplier.int32, shift.int8), rounding: rounding)
    }
}

extension Multiplier {
    fileprivate static func each(_ multipliers: [Int32], _ shifts: [Int8]) -> [Multiplier] {
        zip(multipliers, shifts).map { Multiplier(multiplier: $0, shift: Int32($1)) }
    }
}

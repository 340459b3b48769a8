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
    var degree: Int?
    var fraction: Int?

    enum CodingKeys: String, CodingKey {
        case kind, sources, type, shape, scale, limits, rounding, window, factors, axis, first, factor, shift, degree, fraction
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
        let fields = layer.operation.fields
        window = fields.window
        factors = fields.factors.isEmpty ? nil : fields.factors.map { [$0.multiplier, $0.shift] }
        (cellFraction, cellClip, resetAfter) = (fields.cellFraction, fields.cellClip, fields.resetAfter)
        (axis, first, factor, shift) = (fields.axis, fields.first, fields.factor, fields.shift)
        (degree, fraction) = (fields.support?.degree, fields.support?.fraction)
    }

    var elements: Int { shape.reduce(1, *) }
}

internal import CNetwork

/// The C description of a network, with the memory that it points to.
@safe final class Specification {
    private var pieces: [UnsafeMutableRawPointer] = unsafe []
    /// Valid as long as this object.
    var raw = unsafe gw_network_spec()

    init(_ network: Network) {
        let layers = unsafe network.layers.map { unsafe layer($0) }
        unsafe raw.input = tensor(network.input)
        unsafe raw.layer_count = Int32(clamping: layers.count)
        unsafe raw.layers = stored(layers)
        unsafe raw.input_multiplier = network.inputMultiplier.raw
        unsafe raw.output = network.output.raw
        unsafe raw.output_scale = network.outputMultiplier.raw
        unsafe raw.is_stateless = network.state == .fresh
        unsafe raw.advance = Int32(clamping: network.advance)
    }

    deinit {
        unsafe pieces.forEach { unsafe $0.deallocate() }
    }

    private func stored<Element>(_ values: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, values.count * MemoryLayout<Element>.stride), alignment: 16)
        unsafe pieces.append(memory)
        let typed = unsafe memory.bindMemory(to: Element.self, capacity: values.count)
        unsafe values.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { unsafe typed.initialize(from: base, count: values.count) }
        }
        return unsafe UnsafePointer(typed)
    }

    private func forest(_ forest: Forest, _ classes: Int) -> gw_forest {
        let nodes = forest.features.indices.map {
            gw_tree_node(feature: forest.features[$0], threshold: forest.thresholds[$0], child: forest.children[$0])
        }
        return unsafe gw_forest(
            tree_count: Int32(clamping: forest.roots.count), node_count: Int32(clamping: nodes.count),
            leaf_count: Int32(clamping: forest.values.count / max(classes, 1)), roots: stored(forest.roots), nodes: stored(nodes),
            values: stored(forest.values))
    }

    private func support(_ support: SupportVectors) -> gw_support_vectors {
        unsafe gw_support_vectors(
            inputs: Int32(clamping: support.inputs), count: Int32(clamping: support.count), outputs: Int32(clamping: support.outputs),
            degree: Int32(clamping: support.degree), fraction: Int32(clamping: support.fraction), vectors: stored(support.vectors),
            added: stored(support.added), argument: support.argument.raw, coefficients: stored(support.coefficients),
            bias: stored(support.bias), multipliers: stored(support.multipliers.map(\.raw)))
    }

    private func table(_ values: [Int16], _ type: IntegerType) -> UnsafeRawPointer {
        unsafe type == .int8 ? UnsafeRawPointer(stored(values.map { Int8(clamping: $0) })) : UnsafeRawPointer(stored(values))
    }

    private func tensor(_ tensor: Tensor) -> gw_tensor {
        gw_tensor(
            type: tensor.type == .int8 ? GW_INT8 : GW_INT16, height: Int32(clamping: tensor.height), width: Int32(clamping: tensor.width),
            channels: Int32(clamping: tensor.channels), zero_point: Int32(clamping: tensor.quantisation.zeroPoint))
    }

    private func weights(_ weights: Weights) -> gw_weights {
        let values =
            unsafe weights.type == .int8
            ? UnsafeRawPointer(stored(weights.values.map { Int8(clamping: $0) })) : UnsafeRawPointer(stored(weights.values))
        return unsafe gw_weights(
            type: weights.type == .int8 ? GW_INT8 : GW_INT16, inputs: Int32(clamping: weights.inputs),
            outputs: Int32(clamping: weights.outputs),
            values: values, bias: stored(weights.bias), multipliers: stored(weights.multipliers.map(\.raw)), rounding: weights.rounding.raw)
    }

    private func window(_ sliding: KernelShape) -> gw_sliding {
        gw_sliding(
            height: Int32(clamping: sliding.height), width: Int32(clamping: sliding.width),
            stride_height: Int32(clamping: sliding.strideHeight),
            stride_width: Int32(clamping: sliding.strideWidth), dilation_height: Int32(clamping: sliding.dilationHeight),
            dilation_width: Int32(clamping: sliding.dilationWidth), top: Int32(clamping: sliding.top), left: Int32(clamping: sliding.left))
    }

    private func layer(_ layer: Layer) -> gw_layer {
        var raw = unsafe gw_layer()
        unsafe raw.output = tensor(layer.output)
        unsafe raw.low = Int32(clamping: layer.limits.lowerBound)
        unsafe raw.high = Int32(clamping: layer.limits.upperBound)
        unsafe raw.source_count = Int32(clamping: layer.sources.count)
        unsafe withUnsafeMutableBytes(of: &raw.sources) { bytes in
            let places = unsafe bytes.assumingMemoryBound(to: Int32.self)
            for (index, source) in layer.sources.prefix(places.count).enumerated() { unsafe places[index] = Int32(clamping: source) }
        }
        let fields = layer.operation.fields
        unsafe raw.operation = layer.kind.number
        if let first = fields.weights.first { unsafe raw.weights = unsafe weights(first) }
        if let recurrent = fields.weights.dropFirst().first { unsafe raw.recurrent = unsafe weights(recurrent) }
        if let window = fields.window { unsafe raw.window = self.window(window) }
        unsafe withUnsafeMutableBytes(of: &raw.scales) { bytes in
            let scales = unsafe bytes.assumingMemoryBound(to: gw_multiplier.self)
            for (index, factor) in fields.factors.prefix(scales.count).enumerated() { unsafe scales[index] = factor.raw }
        }
        unsafe raw.cell_fraction = Int32(clamping: fields.cellFraction ?? 0)
        unsafe raw.cell_clip = Int32(clamping: fields.cellClip ?? 0)
        unsafe raw.reset_after = fields.resetAfter ?? false
        unsafe raw.axis = Int32(clamping: fields.axis ?? 0)
        unsafe raw.first = Int32(clamping: fields.first ?? 0)
        unsafe raw.factor = Int32(clamping: fields.factor ?? 0)
        unsafe raw.shift = Int32(clamping: fields.shift ?? 0)
        if let table = fields.table { unsafe raw.table = unsafe self.table(table, layer.output.type) }
        if let places = fields.places { unsafe raw.table = unsafe UnsafeRawPointer(stored(places)) }
        if let forest = fields.forest { unsafe raw.forest = unsafe self.forest(forest, layer.output.count) }
        if let support = fields.support { unsafe raw.support = unsafe self.support(support) }
        return unsafe raw
    }
}

extension Multiplier {
    fileprivate var raw: gw_multiplier { gw_multiplier(multiplier: multiplier, shift: shift) }
}

extension Rounding {
    fileprivate var raw: gw_rounding {
        switch self {
        case .once: GW_ROUND_ONCE
        case .twice: GW_ROUND_TWICE
        case .reduced: GW_ROUND_REDUCED
        }
    }
}

extension NetworkOutput {
    fileprivate var raw: gw_output {
        switch self {
        case .softmax: GW_SOFTMAX
        case .independent: GW_INDEPENDENT
        case .logits: GW_LOGITS
        }
    }
}

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
        unsafe raw.forgets = network.state == .fresh
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
        switch layer.operation {
        case .dense(let dense): unsafe (raw.operation, raw.weights) = unsafe (GW_DENSE, weights(dense))
        case .convolution(let convolution, let sliding):
            unsafe (raw.operation, raw.weights, raw.window) = unsafe (GW_CONVOLUTION, weights(convolution), window(sliding))
        case .depthwise(let depthwise, let sliding):
            unsafe (raw.operation, raw.weights, raw.window) = unsafe (GW_DEPTHWISE, weights(depthwise), window(sliding))
        case .lstm(let lstm):
            unsafe (raw.operation, raw.weights, raw.recurrent) = unsafe (GW_LSTM, weights(lstm.weights), weights(lstm.recurrent))
            unsafe (raw.scales.0, raw.cell_fraction, raw.cell_clip) = (
                lstm.multiplier.raw, Int32(clamping: lstm.cellFraction), Int32(clamping: lstm.cellClip)
            )
        case .gru(let gru):
            unsafe (raw.operation, raw.weights, raw.recurrent) = unsafe (GW_GRU, weights(gru.weights), weights(gru.recurrent))
            unsafe (raw.scales.0, raw.reset_after) = (gru.multiplier.raw, gru.resetAfter)
        case .averagePool(let sliding): unsafe (raw.operation, raw.window) = (GW_AVERAGE_POOL, window(sliding))
        case .maxPool(let sliding): unsafe (raw.operation, raw.window) = (GW_MAX_POOL, window(sliding))
        case .mean(let multiplier): unsafe (raw.operation, raw.scales.0) = (GW_MEAN, multiplier.raw)
        case .add(let left, let right, let sum): unsafe (raw.operation, raw.scales) = (GW_ADD, (left.raw, right.raw, sum.raw))
        case .concatenation(let axis): unsafe (raw.operation, raw.axis) = (GW_CONCATENATE, Int32(clamping: axis))
        case .slice(let first): unsafe (raw.operation, raw.first) = (GW_SLICE, Int32(clamping: first))
        case .lookup(let table):
            unsafe (raw.operation, raw.table) = unsafe (GW_LOOKUP, self.table(table, layer.output.type))
        case .sigmoid(let factor, let shift):
            unsafe (raw.operation, raw.factor, raw.shift) = (GW_SIGMOID, Int32(clamping: factor), Int32(clamping: shift))
        case .tanh(let factor, let shift):
            unsafe (raw.operation, raw.factor, raw.shift) = (GW_TANH, Int32(clamping: factor), Int32(clamping: shift))
        case .rescale(let multiplier): unsafe (raw.operation, raw.scales.0) = (GW_RESCALE, multiplier.raw)
        case .gather(let places): unsafe (raw.operation, raw.table) = unsafe (GW_GATHER, UnsafeRawPointer(stored(places)))
        case .constant(let values): unsafe (raw.operation, raw.table) = unsafe (GW_CONSTANT, table(values, layer.output.type))
        case .subtract(let left, let right, let sum): unsafe (raw.operation, raw.scales) = (GW_SUBTRACT, (left.raw, right.raw, sum.raw))
        case .multiply(let multiplier): unsafe (raw.operation, raw.scales.0) = (GW_MULTIPLY, multiplier.raw)
        case .divide(let multiplier): unsafe (raw.operation, raw.scales.0) = (GW_DIVIDE, multiplier.raw)
        case .maximum: unsafe raw.operation = GW_MAXIMUM
        case .minimum: unsafe raw.operation = GW_MINIMUM
        case .matrixProduct(let multiplier): unsafe (raw.operation, raw.scales.0) = (GW_MATRIX_PRODUCT, multiplier.raw)
        case .softmax(let multiplier): unsafe (raw.operation, raw.scales.0) = (GW_SOFTMAX_ROWS, multiplier.raw)
        case .forest(let forest):
            unsafe (raw.operation, raw.scales.0, raw.forest) = unsafe (
                GW_FOREST, forest.multiplier.raw, self.forest(forest, layer.output.count)
            )
        }
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

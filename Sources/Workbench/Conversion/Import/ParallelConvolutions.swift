import NeuralNetwork

/// Convolutions of one tensor whose outputs are concatenated, as one convolution with all their outputs: its window holds each one's, with
/// weights of zero where one has none. It gives the same integers, and the input is read once.
struct ParallelConvolutions {
    private(set) var layers: [Layer]
    /// Which tensor holds what each tensor held before; nil where none does.
    private(set) var tensors: [Int?]

    init(_ layers: [Layer]) {
        self.layers = layers
        tensors = (0...layers.count).map { $0 }
        while let group = firstGroup() { join(group) }
    }

    // Sources of a concatenation, one after the other, and the convolution that replaces them.
    private struct Group {
        var concatenation: Int
        var sources: Range<Int>
        var convolution: Layer
    }

    private func firstGroup() -> Group? {
        for index in layers.indices {
            if let group = group(at: index) { return group }
        }
        return nil
    }

    // The longest one.
    private func group(at index: Int) -> Group? {
        let layer = layers[index], count = layer.sources.count
        guard case .concatenation(axis: 2) = layer.operation, layer.limits == layer.output.type.range, count > 1 else { return nil }
        for length in (2...count).reversed() {
            for first in 0...count - length {
                let sources = first..<first + length, tensors = layer.sources[sources]
                if tensors.allSatisfy(isReadOnce), let convolution = Layer.joined(tensors.map { layers[$0 - 1] }) {
                    return Group(concatenation: index, sources: sources, convolution: convolution)
                }
            }
        }
        return nil
    }

    private func isReadOnce(_ tensor: Int) -> Bool {
        tensor > 0 && layers.reduce(0) { sum, layer in sum + layer.sources.count { $0 == tensor } } == 1
    }

    // The convolution stands where the last of them stood, or, where nothing else is concatenated, in the concatenation's place.
    private mutating func join(_ group: Group) {
        let sources = layers[group.concatenation].sources, joined = sources[group.sources], last = joined.max() ?? 0
        let isWhole = joined.count == sources.count, place = isWhole ? group.concatenation : last - 1
        var moved = [0], kept: [Layer] = []
        for (index, layer) in layers.enumerated() {
            if joined.contains(index + 1), index != place {
                moved.append(-1) // nothing reads it any more
                continue
            }
            var layer = index == place ? group.convolution : layer
            if index == group.concatenation, !isWhole { layer.sources.replaceSubrange(group.sources, with: [last]) }
            layer.sources = layer.sources.map { moved[$0] }
            kept.append(layer)
            moved.append(kept.count)
        }
        layers = kept
        tensors = tensors.map { tensor in tensor.flatMap { joined.contains($0) ? nil : moved[$0] } }
    }
}

extension Layer {
    // Convolutions as one, their outputs in this order; nil where they differ in what a layer has once, or where it would be more work by
    // a quarter.
    fileprivate static func joined(_ layers: [Layer]) -> Layer? {
        var parts: [(weights: Weights, window: KernelShape)] = []
        for layer in layers {
            guard case .convolution(let weights, let window) = layer.operation, layer.isAlike(layers[0]) else { return nil }
            parts.append((weights, window))
        }
        guard let first = parts.first else { return nil }
        var window = first.window
        for part in parts.dropFirst() {
            guard part.weights.type == first.weights.type, part.weights.rounding == first.weights.rounding,
                let both = window.joined(part.window)
            else { return nil }
            window = both
        }
        let channels = first.weights.channels(first.window), outputs = parts.reduce(0) { $0 + min($1.weights.outputs, Weights.most) }
        guard channels > 0, parts.allSatisfy({ $0.weights.channels($0.window) == channels }), outputs <= Weights.most,
            window.height * window.width <= Weights.most / channels
        else { return nil }
        let inputs = window.height * window.width * channels, before = parts.reduce(0) { $0 + $1.weights.values.count }
        // Processors work on int8 in vectors, and the zeros fill what is empty in them.
        let isNarrow = layers[0].output.type == .int8, cost = parts.reduce(0) { $0 + Weights.cost($1.weights.inputs, $1.weights.outputs) }
        guard isNarrow ? inputs * outputs <= 2 * before : 4 * inputs * outputs <= 5 * before,
            4 * Weights.cost(inputs, outputs) <= 5 * cost
        else { return nil }
        var result = layers[0]
        let weights = Weights(
            type: first.weights.type, inputs: inputs, outputs: outputs,
            values: parts.flatMap { $0.weights.embedded($0.window, in: window, channels: channels) },
            bias: parts.flatMap(\.weights.bias), multipliers: parts.flatMap(\.weights.multipliers), rounding: first.weights.rounding)
        result.operation = .convolution(weights, window)
        result.output.channels = outputs
        return result
    }

    private func isAlike(_ other: Layer) -> Bool {
        var shape = output
        shape.channels = other.output.channels
        return sources == other.sources && limits == other.limits && shape == other.output
    }
}

extension Weights {
    fileprivate static let most = 4096

    // Products as vectors work on them: sixteen outputs and four inputs at a time.
    fileprivate static func cost(_ inputs: Int, _ outputs: Int) -> Int { (outputs + 15) / 16 * ((inputs + 3) / 4) }

    // Under such a window; 0 where the numbers do not go together.
    fileprivate func channels(_ window: KernelShape) -> Int {
        let places = window.height * window.width
        guard (1...Self.most).contains(outputs), (1...Self.most).contains(inputs), values.count == outputs * inputs, inputs % places == 0
        else { return 0 }
        return inputs / places
    }

    // [outputs][window height][window width][channels], with zeros where this window has nothing.
    fileprivate func embedded(_ window: KernelShape, in wider: KernelShape, channels: Int) -> [Int16] {
        let down = (wider.top - window.top) / wider.dilationHeight, across = (wider.left - window.left) / wider.dilationWidth
        let row = window.width * channels
        var result = [Int16](repeating: 0, count: outputs * wider.height * wider.width * channels)
        for output in 0..<outputs {
            for y in 0..<window.height {
                let from = (output * window.height + y) * row
                let to = ((output * wider.height + down + y) * wider.width + across) * channels
                result.replaceSubrange(to..<to + row, with: values[from..<from + row])
            }
        }
        return result
    }
}

extension KernelShape {
    // The smallest window that holds both; nil where their elements do not fall together.
    fileprivate func joined(_ other: KernelShape) -> KernelShape? {
        guard strideHeight == other.strideHeight, strideWidth == other.strideWidth,
            let rows = Reach(height, dilationHeight, top).joined(Reach(other.height, other.dilationHeight, other.top)),
            let columns = Reach(width, dilationWidth, left).joined(Reach(other.width, other.dilationWidth, other.left))
        else { return nil }
        var window = self
        (window.height, window.dilationHeight, window.top) = (rows.size, rows.dilation, rows.before)
        (window.width, window.dilationWidth, window.left) = (columns.size, columns.dilation, columns.before)
        return window
    }

    // A window along one axis.
    private struct Reach {
        var size: Int, dilation: Int, before: Int

        init(_ size: Int, _ dilation: Int, _ before: Int) { (self.size, self.dilation, self.before) = (size, dilation, before) }

        func joined(_ other: Reach) -> Reach? {
            let limits = 1...Weights.most
            guard limits.contains(size), limits.contains(other.size), limits.contains(dilation), limits.contains(other.dilation),
                (0...(size - 1) * dilation).contains(before), (0...(other.size - 1) * other.dilation).contains(other.before),
                size == 1 || other.size == 1 || dilation == other.dilation
            else { return nil }
            let step = size > 1 ? dilation : other.dilation, most = max(before, other.before)
            let last = max((size - 1) * dilation - before, (other.size - 1) * other.dilation - other.before)
            guard (most - before) % step == 0, (most - other.before) % step == 0, (most + last) % step == 0 else { return nil }
            return Reach((most + last) / step + 1, step, most)
        }
    }
}

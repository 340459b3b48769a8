import NeuralNetwork

/// Convolutions of one tensor whose outputs are concatenated, as one convolution with all their outputs: under a window that holds each
/// one's, with weights of zero where one has none. The same integers come out of it, and the tensor is gone through once.
struct ParallelConvolutions {
    private(set) var layers: [Layer]
    /// Which tensor holds what each tensor held before; nil where none does.
    private(set) var tensors: [Int?]

    init(_ layers: [Layer]) {
        self.layers = layers
        tensors = (0...layers.count).map { $0 }
        while let pair = firstPair() { join(pair) }
    }

    // Two sources of a concatenation, one after the other, and the convolution that stands for both.
    private struct Pair {
        var concatenation: Int, source: Int
        var convolution: Layer
    }

    private func firstPair() -> Pair? {
        for index in layers.indices {
            if let pair = pair(at: index) { return pair }
        }
        return nil
    }

    private func pair(at index: Int) -> Pair? {
        let layer = layers[index]
        guard case .concatenation(axis: 2) = layer.operation, layer.limits == layer.output.type.range else { return nil }
        for source in layer.sources.indices.dropLast() {
            let left = layer.sources[source], right = layer.sources[source + 1]
            if isReadOnce(left), isReadOnce(right), let both = layers[left - 1].beside(layers[right - 1]) {
                return Pair(concatenation: index, source: source, convolution: both)
            }
        }
        return nil
    }

    private func isReadOnce(_ tensor: Int) -> Bool {
        tensor > 0 && layers.reduce(0) { sum, layer in sum + layer.sources.count { $0 == tensor } } == 1
    }

    // The one convolution stands where the later of the two stood.
    private mutating func join(_ pair: Pair) {
        let sources = layers[pair.concatenation].sources, both = sources[pair.source...(pair.source + 1)]
        let earlier = both.min() ?? 0, later = both.max() ?? 0
        var moved = [0], kept: [Layer] = []
        for (index, layer) in layers.enumerated() {
            var layer = index + 1 == later ? pair.convolution : layer
            if index == pair.concatenation { layer.sources.replaceSubrange(pair.source...pair.source + 1, with: [later]) }
            if index + 1 == earlier {
                moved.append(-1) // nothing reads it any more
            } else if index == pair.concatenation, layer.sources.count == 1 {
                moved.append(moved[later])
            } else {
                layer.sources = layer.sources.map { moved[$0] }
                kept.append(layer)
                moved.append(kept.count)
            }
        }
        layers = kept
        tensors = tensors.map { tensor in tensor.flatMap { both.contains($0) ? nil : moved[$0] } }
    }
}

extension Layer {
    // This convolution and another one, its outputs behind this one's; nil where that cannot be or costs more than both do.
    fileprivate func beside(_ other: Layer) -> Layer? {
        guard case .convolution(let left, let leftWindow) = operation, case .convolution(let right, let rightWindow) = other.operation,
            sources == other.sources, limits == other.limits, output.hasShapeAndScale(of: other.output),
            left.type == right.type, left.rounding == right.rounding, let window = leftWindow.joined(rightWindow),
            let from = left.embedded(leftWindow, in: window), let behind = right.embedded(rightWindow, in: window)
        else { return nil }
        let weights = Weights(
            type: left.type, inputs: from.count / left.outputs, outputs: left.outputs + right.outputs, values: from + behind,
            bias: left.bias + right.bias, multipliers: left.multipliers + right.multipliers, rounding: left.rounding)
        guard weights.values.count <= 2 * (left.values.count + right.values.count), 4 * weights.cost <= 5 * (left.cost + right.cost),
            weights.outputs <= Weights.most
        else { return nil }
        var both = self
        both.operation = .convolution(weights, window)
        both.output.channels += other.output.channels
        return both
    }
}

extension Tensor {
    fileprivate func hasShapeAndScale(of other: Tensor) -> Bool {
        type == other.type && height == other.height && width == other.width && quantisation == other.quantisation
    }
}

extension Weights {
    fileprivate static let most = 4096

    // Products as vectors work on them: sixteen outputs and four inputs at a time.
    fileprivate var cost: Int { (outputs + 15) / 16 * ((inputs + 3) / 4) }

    // [outputs][window height][window width][channels], with zeros where this window has nothing.
    fileprivate func embedded(_ window: KernelShape, in wider: KernelShape) -> [Int16]? {
        guard (1...Self.most).contains(outputs), (1...Self.most).contains(inputs), values.count == outputs * inputs,
            inputs % (window.height * window.width) == 0
        else { return nil }
        let channels = inputs / (window.height * window.width)
        guard wider.height * wider.width <= Self.most / channels else { return nil }
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
    // The smallest window that holds both; nil where steps differ.
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

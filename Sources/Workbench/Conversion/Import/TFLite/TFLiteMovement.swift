internal import NeuralNetwork
internal import Support

/// Operators that only move numbers, and the orders in which others read them.
extension TFLiteOperationReader {
    func integers(_ position: Int) throws(Fault) -> [Int] {
        guard operation.inputs.indices.contains(position), operation.inputs[position] >= 0 else {
            throw refused("its input \(position) is missing")
        }
        if let numbers = file.integersOfShapes[operation.inputs[position]] { return numbers }
        let tensor = file.tensors[operation.inputs[position]]
        guard !tensor.data.isEmpty else { throw refused("its input \(position) is computed; a constant can be read") }
        guard let numbers = try file.integers(tensor) else { throw refused("its input \(position) is no constant of int32") }
        return numbers
    }

    private func option(_ field: Int) throws(Fault) -> Int { Int(try operation.options?.number(field, default: Int32(0)) ?? 0) }

    private func axis(_ written: Int, rank: Int) throws(Fault) -> Int {
        let axis = written < 0 ? written + rank : written
        guard (0..<rank).contains(axis) else { throw refused("it has no axis \(written)") }
        return axis
    }

    func reduction(_ kind: TFLiteReduction) throws(Fault) -> TFLiteOperation {
        var axes: Set<Int> = []
        for written in try integers(1) { axes.insert(try axis(written, rank: shape.count)) }
        let kept = shape.indices.filter { !axes.contains($0) }, reduced = axes.sorted()
        return .reduction(
            kind, order: Elements.transposed(shape, reduced + kept), positions: reduced.reduce(1) { $0 * shape[$1] })
    }

    func concatenation(isNew: Bool) throws(Fault) -> TFLiteOperation {
        let curve = isNew ? 0 : try operation.options?.number(1, default: Int8(0)) ?? 0
        guard curve == 0 else { throw refused("it has a fused activation") }
        let rank = shape.count + (isNew ? 1 : 0), axis = try axis(try option(isNew ? 1 : 0), rank: rank)
        let inner = Elements.count(Array(shape[(isNew ? axis : axis + 1)...]))
        return .concatenation(outer: Elements.count(Array(shape[..<axis])), inner: inner)
    }

    /// The elements of each output.
    func movement(_ kind: TFLiteOperator) throws(Fault) -> [[Int32]] {
        switch kind {
        case .transpose:
            let axes = try integers(1)
            guard axes.sorted() == Array(shape.indices) else { throw refused("it orders the axes as \(axes)") }
            return [Elements.transposed(shape, axes)]
        case .pad, .padV2: return [try padding(reflects: nil)]
        case .mirrorPad: return [try padding(reflects: (try operation.options?.number(0, default: Int8(0)) ?? 0) == 0)]
        case .tile:
            guard try integers(1).count == shape.count else { throw refused("its repeats do not fit the shape \(shape)") }
            return [repeated(outputShape())]
        case .broadcastTo:
            guard let elements = Elements.broadcast(shape, to: outputShape()) else {
                throw refused("\(shape) does not fit \(outputShape())")
            }
            return [elements]
        case .reverseV2:
            var axes: Set<Int> = []
            for written in try integers(1) { axes.insert(try axis(written, rank: shape.count)) }
            return [
                strided(
                    shape, first: shape.indices.map { axes.contains($0) ? shape[$0] - 1 : 0 },
                    step: shape.indices.map { axes.contains($0) ? -1 : 1 })
            ]
        case .gather: return [try gathered()]
        case .slice:
            let begin = try integers(1)
            return [try cut(outputShape(), first: begin)]
        case .stridedSlice: return [try stridedSlice()]
        case .spaceToBatchND: return [try spaceToBatch()]
        case .batchToSpaceND: return [try batchToSpace()]
        default: return try parts(kind)
        }
    }

    // Elements at first + index * step along each axis.
    private func strided(_ shape: [Int], first: [Int], step: [Int]) -> [Int32] {
        let strides = Elements.strides(self.shape), start = zip(first, strides).reduce(0) { $0 + $1.0 * $1.1 }
        return Elements.strided(shape, first: start, steps: zip(step, strides).map { $0 * $1 })
    }

    private func cut(_ part: [Int], first: [Int]) throws(Fault) -> [Int32] {
        guard part.count == shape.count, first.count == shape.count,
            shape.indices.allSatisfy({ first[$0] >= 0 && first[$0] <= shape[$0] - part[$0] })
        else { throw refused("it cuts \(part) out of \(shape)") }
        return strided(part, first: first, step: [Int](repeating: 1, count: shape.count))
    }

    private func repeated(_ wide: [Int]) -> [Int32] {
        let strides = Elements.strides(shape)
        return Elements.indices(wide) { index in shape.indices.reduce(0) { $0 + index[$1] % shape[$1] * strides[$1] } }
    }

    // Zeros, or the numbers at the edge backwards, without the outermost one or with it.
    private func padding(reflects: Bool?) throws(Fault) -> [Int32] {
        let pads = try integers(1), wide = outputShape(), strides = Elements.strides(shape)
        guard pads.count == 2 * shape.count, wide.count == shape.count, pads.allSatisfy({ $0 >= 0 }),
            shape.indices.allSatisfy({ wide[$0] == shape[$0] + pads[2 * $0] + pads[2 * $0 + 1] })
        else { throw refused("its padding does not lead from \(shape) to \(wide)") }
        if operation.inputs.count > 2, try !isZero(operation.inputs[2]) { throw refused("it pads with something else than zero") }
        return Elements.indices(wide) { index in
            var at = 0
            for axis in shape.indices {
                var place = index[axis] - pads[2 * axis]
                if let reflects {
                    let edge = reflects ? 0 : 1
                    if place < 0 { place = -place - edge }
                    if place >= shape[axis] { place = 2 * shape[axis] - 2 + edge - place }
                }
                guard (0..<shape[axis]).contains(place) else { return -1 }
                at += place * strides[axis]
            }
            return at
        }
    }

    private func isZero(_ index: Int) throws(Fault) -> Bool {
        let tensor = file.tensors[index]
        switch tensor.kind {
        case .int8: return try file.constant(tensor, as: Int8.self).allSatisfy { Int($0) == tensor.zeroPoints.first ?? 0 }
        case .int16: return try file.constant(tensor, as: Int16.self).allSatisfy { $0 == 0 }
        default: return try file.floats(tensor).allSatisfy { $0 == 0 }
        }
    }

    private func gathered() throws(Fault) -> [Int32] {
        let written = try option(0), batch = try option(1)
        let axis = try axis(written, rank: shape.count), places = try integers(1), strides = Elements.strides(shape)
        guard batch == 0, places.allSatisfy({ (0..<shape[axis]).contains($0) }) else { throw refused("an index lies outside of \(shape)") }
        let inner = strides[axis]
        return Elements.indices([Elements.count(Array(shape[..<axis])), places.count, inner]) { index in
            index[0] * shape[axis] * inner + places[index[1]] * inner + index[2]
        }
    }

    private func stridedSlice() throws(Fault) -> [Int32] {
        let begin = try integers(1), end = try integers(2), strides = try integers(3)
        let beginMask = try option(0), endMask = try option(1), shrink = try option(4)
        guard try option(2) == 0, try option(3) == 0, begin.count == shape.count, end.count == shape.count, strides.count == shape.count,
            strides.allSatisfy({ $0 != 0 && $0.magnitude < 4096 })
        else { throw refused("it adds axes, or leaves some out") }
        var part: [Int] = [], first: [Int] = []
        for (axis, extent) in shape.enumerated() {
            let by = strides[axis], isBackward = by < 0
            func place(_ value: Int) -> Int {
                min(max(value < 0 ? value + extent : value, isBackward ? -1 : 0), isBackward ? extent - 1 : extent)
            }
            let from = beginMask >> axis & 1 == 1 ? (isBackward ? extent - 1 : 0) : place(begin[axis])
            let to = endMask >> axis & 1 == 1 ? (isBackward ? -1 : extent) : place(end[axis])
            let count = shrink >> axis & 1 == 1 ? 1 : max(0, (to - from + by - by.signum()) / by)
            guard count > 0, (0..<extent).contains(from) else { throw refused("it cuts \(from) ..< \(to) out of \(extent)") }
            part.append(count)
            first.append(from)
        }
        return strided(part, first: first, step: strides)
    }

    private func parts(_ kind: TFLiteOperator) throws(Fault) -> [[Int32]] {
        let axis: Int, sizes: [Int]
        switch kind {
        case .unpack:
            axis = try self.axis(try option(1), rank: shape.count)
            sizes = [Int](repeating: 1, count: operation.outputs.count)
        case .splitV:
            axis = try self.axis(try integers(2).first ?? 0, rank: shape.count)
            let written = try integers(1)
            guard written.count == operation.outputs.count, written.allSatisfy({ $0 <= shape[axis] }) else {
                throw refused("\(shape[axis]) elements are not split into \(written)")
            }
            let known = written.filter { $0 >= 0 }.reduce(0, +)
            sizes = written.map { $0 < 0 ? shape[axis] - known : $0 }
        default:
            axis = try self.axis(try integers(0).first ?? 0, rank: shape.count)
            sizes = [Int](repeating: shape[axis] / operation.outputs.count, count: operation.outputs.count)
        }
        guard sizes.count == operation.outputs.count, sizes.allSatisfy({ $0 > 0 }), sizes.reduce(0, +) == shape[axis] else {
            throw refused("\(shape[axis]) elements are not split into \(sizes)")
        }
        var start = 0, all: [[Int32]] = []
        for size in sizes {
            var part = shape, first = [Int](repeating: 0, count: shape.count)
            (part[axis], first[axis]) = (size, start)
            all.append(try cut(part, first: first))
            start += size
        }
        return all
    }

    // [batch, positions of a block..., rest] from [batch, positions..., rest]; the block's place goes into the batch.
    private func spaceToBatch() throws(Fault) -> [Int32] {
        let block = try integers(1), pads = try integers(2), wide = outputShape(), strides = Elements.strides(shape), count = block.count
        guard pads.count == 2 * count, count >= 1, count < shape.count, wide.count == shape.count, shape[0] == 1,
            block.allSatisfy({ (1...4096).contains($0) }), wide[0] == block.reduce(1, TFLiteFile.product)
        else { throw refused("its block \(block) does not fit \(shape)") }
        return Elements.indices(wide) { index in
            var batch = index[0], at = 0
            for axis in stride(from: count, to: 0, by: -1) {
                let place = index[axis] * block[axis - 1] + batch % block[axis - 1] - pads[2 * (axis - 1)]
                batch /= block[axis - 1]
                guard (0..<shape[axis]).contains(place) else { return -1 }
                at += place * strides[axis]
            }
            for axis in (count + 1)..<max(shape.count, count + 1) { at += index[axis] * strides[axis] }
            return at
        }
    }

    private func batchToSpace() throws(Fault) -> [Int32] {
        let block = try integers(1), crops = try integers(2), wide = outputShape(), strides = Elements.strides(shape), count = block.count
        guard crops.count == 2 * count, count >= 1, count < shape.count, wide.count == shape.count, wide[0] == 1,
            block.allSatisfy({ (1...4096).contains($0) }), shape[0] == block.reduce(1, TFLiteFile.product)
        else { throw refused("its block \(block) does not fit \(shape)") }
        for axis in 1...count {
            let cropped = crops[2 * axis - 2] + crops[2 * axis - 1], all = shape[axis] * block[axis - 1]
            guard crops[2 * axis - 2] >= 0, crops[2 * axis - 1] >= 0, wide[axis] + cropped == all else {
                throw refused("it crops \(crops)")
            }
        }
        return Elements.indices(wide) { index in
            var batch = 0, at = 0
            for axis in 1...count {
                let place = index[axis] + crops[2 * axis - 2]
                batch = batch * block[axis - 1] + place % block[axis - 1]
                at += place / block[axis - 1] * strides[axis]
            }
            for axis in (count + 1)..<max(shape.count, count + 1) { at += index[axis] * strides[axis] }
            return at + batch * strides[0]
        }
    }
}

/// Elements of tensors by number, row-major: what transposing, repeating and cutting out come down to.
enum Elements {
    static func count(_ shape: [Int]) -> Int { shape.reduce(1, *) }

    /// Whether they are 0, 1, 2, ...
    static func areInOrder(_ elements: [Int32]) -> Bool { elements.indices.allSatisfy { elements[$0] == Int32(clamping: $0) } }

    /// How far apart two neighbours along each axis lie.
    static func strides(_ shape: [Int]) -> [Int] {
        var strides = [Int](repeating: 1, count: shape.count)
        for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
        return strides
    }

    /// The elements' numbers with the axes in another order.
    static func transposed(_ shape: [Int], _ axes: [Int]) -> [Int32] {
        let strides = strides(shape)
        return strided(axes.map { shape[$0] }, first: 0, steps: axes.map { strides[$0] })
    }

    /// The first position of elements that are whole positions of so many channels, one behind the other; nil where they are not.
    static func firstPosition(_ elements: [Int32], channels: Int) -> Int? {
        guard channels > 0, let first = elements.first, first >= 0, Int(first) % channels == 0, elements.count % channels == 0,
            elements.indices.allSatisfy({ Int(elements[$0]) == Int(first) + $0 })
        else { return nil }
        return Int(first) / channels
    }

    /// For each index of a shape, in order, a number.
    static func indices(_ shape: [Int], _ of: ([Int]) -> Int) -> [Int32] {
        let total = count(shape)
        guard total > 0 else { return [] }
        var index = [Int](repeating: 0, count: shape.count), numbers: [Int32] = []
        numbers.reserveCapacity(total)
        for _ in 0..<total {
            numbers.append(Int32(clamping: of(index)))
            for axis in shape.indices.reversed() {
                index[axis] += 1
                if index[axis] < shape[axis] { break }
                index[axis] = 0
            }
        }
        return numbers
    }

    /// The elements' numbers repeated to a shape that they are broadcast to.
    static func broadcast(_ shape: [Int], to wider: [Int]) -> [Int32]? {
        let missing = wider.count - shape.count
        guard missing >= 0, shape.enumerated().allSatisfy({ $1 == 1 || $1 == wider[$0 + missing] }) else { return nil }
        let strides = strides(shape)
        let steps = wider.indices.map { $0 < missing || shape[$0 - missing] == 1 ? 0 : strides[$0 - missing] }
        return strided(wider, first: 0, steps: steps)
    }

    /// For each index of a shape, in order, `first` and `steps` times the index.
    static func strided(_ shape: [Int], first: Int, steps: [Int]) -> [Int32] {
        let total = count(shape)
        guard total > 0 else { return [] }
        var index = [Int](repeating: 0, count: shape.count), at = first, numbers: [Int32] = []
        numbers.reserveCapacity(total)
        for _ in 0..<total {
            numbers.append(Int32(clamping: at))
            for axis in shape.indices.reversed() {
                index[axis] += 1
                at += steps[axis]
                if index[axis] < shape[axis] { break }
                at -= steps[axis] * shape[axis]
                index[axis] = 0
            }
        }
        return numbers
    }

    /// The shape that two are broadcast to, nil where they do not go together.
    static func common(_ a: [Int], _ b: [Int]) -> [Int]? {
        let rank = max(a.count, b.count)
        let left = [Int](repeating: 1, count: rank - a.count) + a, right = [Int](repeating: 1, count: rank - b.count) + b
        guard zip(left, right).allSatisfy({ $0 == $1 || $0 == 1 || $1 == 1 }) else { return nil }
        return zip(left, right).map { $0 == 1 ? $1 : $0 }
    }
}

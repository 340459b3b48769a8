internal import NeuralNetwork

/// What lies under a window that slides over floats.
extension KernelShape {
    typealias Position = (row: Int, column: Int)

    /// The indices of the input's positions under the window, nil where it is padding.
    private func places(_ shape: FloatShape, _ position: Position) -> [Int?] {
        (0..<height).flatMap { y in
            (0..<width).map { x in
                let row = position.row * strideHeight - top + y * dilationHeight
                let column = position.column * strideWidth - left + x * dilationWidth
                return (0..<shape.height).contains(row) && (0..<shape.width).contains(column) ? row * shape.width + column : nil
            }
        }
    }

    func patch(_ source: [Float], _ shape: FloatShape, _ position: Position) -> [Float] {
        places(shape, position).flatMap { at in
            at.map { source[$0 * shape.channels..<($0 + 1) * shape.channels] } ?? ArraySlice(repeating: 0, count: shape.channels)
        }
    }

    /// Some of what lies wholly under the window, at one position after the other.
    func patches(_ source: [Float], _ shape: FloatShape) -> [[Float]] {
        let rows = shape.height - (height - 1) * dilationHeight, columns = shape.width - (width - 1) * dilationWidth
        guard rows > 0, columns > 0 else { return [] }
        let count = rows * columns, every = max(1, count / Self.mostPatches)
        var whole = self
        (whole.top, whole.left, whole.strideHeight, whole.strideWidth) = (0, 0, 1, 1)
        return stride(from: 0, to: count, by: every).map { whole.patch(source, shape, ($0 / columns, $0 % columns)) }
    }

    // Of a row; neighbours are much alike.
    private static let mostPatches = 8

    func depthwise(_ weights: FloatWeights, _ source: [Float], _ shape: FloatShape, _ position: Position) -> [Float] {
        let places = places(shape, position), each = weights.outputs / shape.channels
        return (0..<weights.outputs).map { output in
            places.enumerated().reduce(weights.bias[output]) { sum, place in
                guard let at = place.element else { return sum }
                return sum + source[at * shape.channels + output / each] * weights.values[output * weights.inputs + place.offset]
            }
        }
    }

    func pooled(_ source: [Float], _ shape: FloatShape, _ output: FloatShape, _ of: ([Float]) -> Float) -> [Float] {
        output.places.flatMap { position in
            let places = places(shape, position).compactMap { $0 }
            return (0..<shape.channels).map { channel in of(places.map { source[$0 * shape.channels + channel] }) }
        }
    }
}

/// Tensors joined along the middle of outer x extent x inner: along their channels where those are the middle, so that they keep their
/// rows and columns, else along the columns of outer rows.
struct TFLiteJoining {
    /// Of a concatenation layer: 1 columns, 2 channels.
    let axis: Int
    private let outer: Int, inner: Int, first: FloatShape

    init(_ shapes: [FloatShape], outer: Int, inner: Int) {
        let first = shapes.first ?? FloatShape(channels: 1)
        let isOfChannels =
            inner == 1 && first.positions == outer && shapes.allSatisfy { $0.height == first.height && $0.width == first.width }
        (axis, self.outer, self.inner, self.first) = (isOfChannels ? 2 : 1, outer, inner, first)
    }

    /// What one of them is to be in.
    func source(_ shape: FloatShape) -> FloatShape {
        axis == 2 ? shape : FloatShape(height: outer, width: shape.count / (outer * inner), channels: inner)
    }

    /// What such ones are together.
    func output(_ shapes: [FloatShape]) -> FloatShape {
        guard axis == 2 else { return FloatShape(height: outer, width: shapes.reduce(0) { $0 + $1.width }, channels: inner) }
        return FloatShape(height: first.height, width: first.width, channels: shapes.reduce(0) { $0 + $1.channels })
    }
}

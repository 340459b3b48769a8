internal import NeuralNetwork

extension KernelShape {
    /// The padding behind the last row and column, which follows from the output.
    func behind(_ source: Tensor, _ output: Tensor) -> (bottom: Int, right: Int) {
        func along(_ count: Int, _ size: Int, _ stride: Int, _ dilation: Int, _ before: Int, _ length: Int) -> Int {
            max(0, (count - 1) * stride + (size - 1) * dilation + 1 - length - before)
        }
        return (
            along(output.height, height, strideHeight, dilationHeight, top, source.height),
            along(output.width, width, strideWidth, dilationWidth, left, source.width)
        )
    }
}

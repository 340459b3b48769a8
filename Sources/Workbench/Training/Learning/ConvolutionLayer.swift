internal import CTraining
internal import Support

/// Rows of numbers over time for many windows, each window between rows of zeros that a convolution reads beyond its ends.
struct Rows {
    /// Windows, rows of each without its borders, numbers of a row, rows of zeros before and after.
    let windows: Int, length: Int, channels: Int, border: Int
    var values: [Float]

    init(windows: Int, length: Int, channels: Int, border: Int) {
        (self.windows, self.length, self.channels, self.border) = (windows, length, channels, border)
        values = [Float](repeating: 0, count: windows * (length + 2 * border) * channels)
    }

    /// Numbers of a window with its borders.
    var span: Int { (length + 2 * border) * channels }

    /// Where row 0 of a window begins.
    func start(_ window: Int) -> Int { window * span + border * channels }

    /// Numbers of sixteen channels.
    func sixteen(_ start: Int) -> SIMD16<Float> {
        unsafe values.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self) }
    }
}

/// A convolution over time with ReLU: 5 taps, every second row, as many zeros at both ends as it needs.
struct ConvolutionLayer {
    static let taps = 5, step = 2, border = 2

    let inputs: Int
    let outputs: Int
    /// Weights [taps][inputs] x [outputs].
    var learnt: TrainableLayer

    /// - Parameter outputs: a multiple of the matrices' padding, so that rows lie one behind the other.
    init(inputs: Int, outputs: Int, _ random: inout RandomNumbers) {
        precondition(outputs % Int(GW_MATRIX_PAD) == 0)
        (self.inputs, self.outputs) = (inputs, outputs)
        learnt = TrainableLayer(inputs: Self.taps * inputs, outputs: outputs, &random)
    }

    func forward(_ input: Rows, into output: inout Rows) {
        let span = output.span, from = input.span, count = output.length
        unsafe output.values.withUnsafeMutableBufferPointer { c in
            unsafe input.values.withUnsafeBufferPointer { a in
                unsafe learnt.weights.values.withUnsafeBufferPointer { b in
                    unsafe learnt.bias.values.withUnsafeBufferPointer { bias in
                        for window in 0..<input.windows {
                            let out = unsafe c.baseAddress! + window * span + output.border * outputs
                            unsafe gw_matrix_product(
                                out, a.baseAddress! + window * from, Int64(Self.step * inputs), 1, b.baseAddress, Int32(count),
                                Int32(outputs), Int32(Self.taps * inputs), false)
                            for row in 0..<count {
                                let sums = unsafe out + row * outputs
                                for channel in 0..<outputs {
                                    let sum = unsafe sums[channel] + bias[channel]
                                    unsafe sums[channel] = sum > 0 ? sum : 0
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Gradients of the weights. `error` is that of the output and is cleared where the ReLU was shut.
    mutating func takeGradient(_ input: Rows, _ output: Rows, _ error: inout Rows) {
        let count = output.length, span = output.span, from = input.span, patch = Self.taps * inputs
        error.values.clear(where: output.values, count: error.values.count)
        learnt.weightMoments.gradient.scale(0)
        learnt.biasMoments.gradient.scale(0)
        unsafe error.values.withUnsafeBufferPointer { e in
            unsafe input.values.withUnsafeBufferPointer { a in
                unsafe learnt.weightMoments.gradient.values.withUnsafeMutableBufferPointer { c in
                    unsafe learnt.biasMoments.gradient.values.withUnsafeMutableBufferPointer { sums in
                        for window in 0..<input.windows {
                            let out = unsafe e.baseAddress! + window * span + output.border * outputs
                            unsafe gw_matrix_product(
                                c.baseAddress, a.baseAddress! + window * from, 1, Int64(Self.step * inputs), out, Int32(patch),
                                Int32(outputs), Int32(count), true)
                            for row in 0..<count {
                                let errors = unsafe out + row * outputs
                                for channel in 0..<outputs { unsafe sums[channel] += errors[channel] }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The error of the input.
    func backward(_ error: Rows, into inputError: inout Rows) {
        let count = error.length, span = error.span, from = inputError.span, patch = Self.taps * inputs,
            turned = learnt.weights.transposed()
        var patches = Matrix(count, patch)
        unsafe inputError.values.withUnsafeMutableBufferPointer { d in
            unsafe d.update(repeating: 0)
            unsafe error.values.withUnsafeBufferPointer { e in
                unsafe turned.values.withUnsafeBufferPointer { b in
                    unsafe patches.values.withUnsafeMutableBufferPointer { p in
                        for window in 0..<error.windows {
                            let out = unsafe e.baseAddress! + window * span + error.border * outputs
                            unsafe gw_matrix_product(
                                p.baseAddress, out, Int64(outputs), 1, b.baseAddress, Int32(count), Int32(turned.stride), Int32(outputs),
                                false)
                            for row in 0..<count {
                                let to = unsafe d.baseAddress! + window * from + row * Self.step * inputs,
                                    errors = unsafe p.baseAddress! + row * turned.stride
                                for index in 0..<patch { unsafe to[index] += errors[index] }
                            }
                        }
                    }
                }
            }
        }
    }
}

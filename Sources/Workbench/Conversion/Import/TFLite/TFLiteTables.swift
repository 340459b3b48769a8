internal import NeuralNetwork

/// What LiteRT's integer kernels give for each int8 number, where they do not look it up themselves.
enum TFLiteTables {
    static func leakyReLU(slope: Double, _ input: Tensor, _ output: Tensor) -> [Int16] {
        let factor = input.quantisation.scale / output.quantisation.scale
        let above = Multiplier(factor), below = Multiplier(Double(Float(slope)) * factor)
        return table(input, output) { value in value >= 0 ? above.twice(value) : below.twice(value) }
    }

    /// In 16 bits: x as finely as they allow, times the share of it, whose 1 is 2^15.
    static func hardSwish(_ input: Tensor, _ output: Tensor) -> [Int16] {
        let fine = Float(input.quantisation.scale) / 128
        let share = Multiplier(Double(fine / (3.0 / 32768))), result = Multiplier(Double(fine / Float(output.quantisation.scale)))
        let shareFactor = narrowed(share.multiplier), resultFactor = narrowed(result.multiplier), exponent = Int(share.shift)
        return table(input, output) { value in
            let wide = value * 128
            var part = wide
            if exponent > 0 { part = saturated(part << min(exponent - 1, 15)) } // 16 bits are full by then
            part = doubled(part, shareFactor)
            if exponent > 0 { part = saturated(part * 2) }
            if exponent < 0 { part = Multiplier.divided(part, by: -exponent) }
            part = (part + 32768) >> 1
            // Truncated, where every other product is rounded.
            let product = saturated(part * doubled(wide, resultFactor) / 32768)
            return Multiplier.divided(product, by: -Int(result.shift))
        }
    }

    /// Cut off, where other curves are rounded; 0 of what is negative.
    static func squareRoot(_ input: Tensor, _ output: Tensor) -> [Int16] {
        table(input, output) { value in
            let root = (Float(max(value, 0)) * Float(input.quantisation.scale)).squareRoot()
            return Int(min(255, (root / Float(output.quantisation.scale)).rounded(.down))) // more than any int8 is above its zero point
        }
    }

    /// Of integers above the zero point; of others, of which LiteRT has none, the largest.
    static func inverseRoot(_ input: Tensor, _ output: Tensor) -> [Int16] {
        let product = Float(input.quantisation.scale).squareRoot() * Float(output.quantisation.scale)
        let result = Multiplier(1 / Double(product) / 0x1p20)
        return table(input, output) { value in
            value > 0 ? result.twice(Int((0x1p20 / Double(value).squareRoot()).rounded())) : 127 - output.quantisation.zeroPoint
        }
    }

    /// The 513 entries for int16: each is moved by half of the chord's error in its middle.
    static func wide(_ curve: Activation, from input: Quantisation, to output: Quantisation) -> [Int16] {
        let least = Float(input.scale) * -32768, most = Float(input.scale) * 32767, step = (most - least) / 512
        let inverse = 65536 / (Float(output.scale) * 32767 - Float(output.scale) * -32768)
        func value(_ x: Float) -> Float { Float(curve.value(Double(x))) * inverse }
        func rounded(_ x: Float) -> Float { x.rounded(.toNearestOrAwayFromZero) }
        func limited(_ x: Float) -> Int16 { Int16(min(32767, max(-32768, x))) } // NaN: the least
        let entries = (0..<512).map { index -> Int16 in
            let x = least + Float(index) * step, here = rounded(value(x))
            let chord = rounded((value(least + Float(index + 1) * step) + here) / 2), middle = rounded(value(x + step / 2))
            return limited(here - rounded((chord - middle) / 2))
        }
        return entries + [limited(rounded(value(most)))]
    }

    private static func table(_ input: Tensor, _ output: Tensor, _ value: (Int) -> Int) -> [Int16] {
        (-128...127).map { number in
            let result = value(number - input.quantisation.zeroPoint) + output.quantisation.zeroPoint
            return Int16(min(max(result, -128), 127))
        }
    }

    private static func saturated(_ value: Int) -> Int { min(max(value, -32768), 32767) }

    // Rounded 2 a b / 2^16.
    private static func doubled(_ a: Int, _ b: Int) -> Int {
        let product = a * b, nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14)
        return saturated((product + nudge) / 32768)
    }

    private static func narrowed(_ multiplier: Int32) -> Int {
        multiplier >= Int32.max - (1 << 15) ? 32767 : (Int(multiplier) + (1 << 15)) >> 16
    }
}

extension Multiplier {
    /// value times this, rounded twice as gw_requantise_twice does.
    func twice(_ value: Int) -> Int {
        let left = max(Int64(shift), 0), shifted = min(max(Int64(value) << left, Int64(Int32.min)), Int64(Int32.max))
        let product = shifted * Int64(multiplier), nudge: Int64 = product >= 0 ? 1 << 30 : 1 - (1 << 30)
        return Self.divided(Int((product + nudge) / (1 << 31)), by: Int(max(-shift, 0)))
    }

    /// value / 2^power, halves away from zero.
    static func divided(_ value: Int, by power: Int) -> Int {
        // Int has 32 bits on some boards.
        let wide = Int64(value)
        guard power > 0 else { return Int(clamping: wide << Int64(-power)) }
        let half: Int64 = 1 << Int64(power - 1)
        return Int(clamping: wide >= 0 ? (wide + half) >> Int64(power) : -((-wide + half) >> Int64(power)))
    }
}

/// How integers stand for real numbers: real = (q - zeroPoint) * scale. TFLite's affine quantisation.
package struct Quantisation: Sendable, Equatable {
    package var scale: Double
    package var zeroPoint: Int

    package init(scale: Double, zeroPoint: Int) {
        self.scale = scale
        self.zeroPoint = zeroPoint
    }

    /// Scales that single precision has as well, in which other runtimes work.
    package static let scales = Double(Float.leastNormalMagnitude)...Double(Float.greatestFiniteMagnitude)

    private static func scale(_ value: Double) -> Double {
        value > 0 ? min(max(value, scales.lowerBound), scales.upperBound) : 1
    }

    /// The quantisation that covers `range` and holds zero exactly; int16 is symmetric.
    package init(covering range: ClosedRange<Double>, type: IntegerType = .int8) {
        let low = min(range.lowerBound, 0), high = max(range.upperBound, 0)
        if type == .int16 {
            let most = max(-low, high)
            (scale, zeroPoint) = (Self.scale(most / 32767), 0)
            return
        }
        scale = Self.scale((high - low) / 255)
        zeroPoint = Int((-128 - low / scale).rounded())
    }
}

/// A positive real factor as multiplier / 2^31 * 2^shift, the multiplier in 2^30 ..< 2^31 (or 0).
package struct Multiplier: Sendable, Equatable {
    package var multiplier: Int32
    package var shift: Int32

    package init(multiplier: Int32, shift: Int32) {
        self.multiplier = multiplier
        self.shift = shift
    }

    /// The nearest one to `value`, as TFLite's QuantizeMultiplier rounds it; factors too small for the shift are 0.
    package init(_ value: Double) {
        guard value > 0, value.isFinite else {
            self.init(multiplier: 0, shift: 0)
            return
        }
        var exponent = Int(value.exponent) + 1
        var fixed = Int64((value.significand * 0x1p30).rounded(.toNearestOrAwayFromZero))
        if fixed == 1 << 31 {
            fixed /= 2
            exponent += 1
        }
        if exponent < -31 {
            self.init(multiplier: 0, shift: 0)
        } else if exponent > 30 {
            self.init(multiplier: .max, shift: 30)
        } else {
            self.init(multiplier: Int32(fixed), shift: Int32(exponent))
        }
    }

    /// The factor as a number.
    package var value: Double { Double(multiplier) * 0x1p-31 * Double(sign: .plus, exponent: Int(shift), significand: 1) }
}

/// How many bits an integer of a tensor or a weight has.
public enum IntegerType: String, Sendable, Codable {
    case int8, int16

    /// What its integers can be.
    public var range: ClosedRange<Int> { self == .int8 ? -128...127 : -32768...32767 }
    /// Bytes of one.
    public var size: Int { self == .int8 ? 1 : 2 }
}

/// Integers in rows, [height][width][channels]. A vector has height and width 1; time runs along height or width.
public struct Tensor: Sendable, Equatable {
    public var type: IntegerType
    public var height: Int
    public var width: Int
    public var channels: Int
    /// Zero point 0 when the type is int16.
    public var quantisation: Quantisation

    public init(_ type: IntegerType = .int8, height: Int = 1, width: Int = 1, channels: Int, quantisation: Quantisation) {
        self.type = type
        self.height = height
        self.width = width
        self.channels = channels
        self.quantisation = quantisation
    }

    public var count: Int { height * width * channels }
    /// What a ReLU leaves of its integers, as TFLite limits them: from zero, for ReLU6 to the step nearest to 6.
    func limits(of curve: Curve) -> ClosedRange<Int> {
        let zero = quantisation.zeroPoint, most = type.range.upperBound
        guard curve == .relu6 else { return zero...most }
        let six = (6 / Float(quantisation.scale)).rounded(.toNearestOrAwayFromZero)
        return zero...(six < Float(most - zero) ? zero + Int(six) : most)
    }

    public var positions: Int { height * width }
    /// Its extents without those that are 1 before the first that is not.
    public var extents: [Int] { height > 1 ? [height, width, channels] : width > 1 ? [width, channels] : [channels] }
    /// "6", "128 x 3" or "4 x 128 x 3".
    public var shape: String { extents.map { "\($0)" }.joined(separator: " x ") }
}

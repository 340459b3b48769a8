/// How many bits an integer of a tensor or a weight has.
package enum IntegerType: String, Sendable, Codable {
    case int8, int16

    /// What its integers can be.
    package var range: ClosedRange<Int> { self == .int8 ? -128...127 : -32768...32767 }
    /// Bytes of one.
    package var size: Int { self == .int8 ? 1 : 2 }
}

/// Integers in rows, [height][width][channels]. A vector has height and width 1; time runs along height or width.
package struct Tensor: Sendable, Equatable {
    package var type: IntegerType
    package var height: Int
    package var width: Int
    package var channels: Int
    /// Zero point 0 when the type is int16.
    package var quantisation: Quantisation

    package init(_ type: IntegerType = .int8, height: Int = 1, width: Int = 1, channels: Int, quantisation: Quantisation) {
        self.type = type
        self.height = height
        self.width = width
        self.channels = channels
        self.quantisation = quantisation
    }

    /// Of each extent (GW_EXTENT_MAX of the C part).
    private static let mostOfExtent = 4096
    /// Of their product (GW_ELEMENTS_MAX).
    package static let mostElements = 1 << 18

    /// Whether a tensor can have this height, width and number of channels; `count` of any other might not fit an `Int`.
    static func canHave(_ extents: [Int]) -> Bool {
        extents.count == 3 && extents.allSatisfy { (1...mostOfExtent).contains($0) }
            && extents.reduce(Int64(1)) { $0 * Int64($1) } <= Int64(mostElements)
    }

    package var count: Int { height * width * channels }
    package var positions: Int { height * width }
    /// Its extents without those that are 1 before the first that is not.
    package var extents: [Int] { height > 1 ? [height, width, channels] : width > 1 ? [width, channels] : [channels] }
    /// "6", "128 x 3" or "4 x 128 x 3".
    package var shape: String { extents.map { "\($0)" }.joined(separator: " x ") }
    /// The factor of its numbers in a soft-max: the scale, int16 as gw_softmax_int16 has it.
    package var softmaxMultiplier: Multiplier { Multiplier(quantisation.scale * (type == .int8 ? 1 : 6553.5)) }
}

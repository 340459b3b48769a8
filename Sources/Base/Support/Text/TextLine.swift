/// Text that is written anew again and again in the same memory: nothing is allocated once that has room for the longest line.
package struct TextLine: Sendable {
    /// UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes that have room from the start.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func append(_ character: Unicode.Scalar, times count: Int) {
        for _ in 0..<Swift.max(0, count) { bytes.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter) }
    }

    /// With blanks behind it, up to `width` characters.
    package mutating func append(_ text: String, padded width: Int) {
        append(text)
        append(" ", times: width - text.count)
    }

    /// `numerator / denominator` with `places` decimals, as ``Decimals`` write it; with blanks before it, up to `width` characters.
    package mutating func append(_ numerator: Int64, over denominator: Int, places: Int, aligned width: Int = 0) {
        append(Decimals.Scaled(numerator.magnitude, over: denominator, places: places), isNegative: numerator < 0, aligned: width)
    }

    mutating func append(_ number: Decimals.Scaled, isNegative: Bool, aligned width: Int = 0) {
        let isSigned = isNegative && !number.isZero, whole = Self.highest(number.whole, atLeast: 1)
        append(" ", times: width - whole.digits - (isSigned ? 1 : 0) - (number.places > 0 ? number.places + 1 : 0))
        if isSigned { append("-") }
        append(digits: number.whole, from: whole.power)
        guard number.places > 0 else { return }
        append(".")
        append(digits: number.fraction, from: Self.highest(number.fraction, atLeast: number.places).power)
    }

    /// As a string of JSON.
    package mutating func append(quoted text: String) {
        append("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case 0...0x1f, 0x7f:
                append("\\u00")
                append(hexadecimal: byte >> 4)
                append(hexadecimal: byte & 15)
            default: bytes.append(byte)
            }
        }
        append("\"")
    }

    private mutating func append(hexadecimal digit: UInt8) {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    // How many digits it has, at least some, and the power of ten of the first.
    private static func highest(_ value: UInt64, atLeast count: Int) -> (digits: Int, power: UInt64) {
        var power: UInt64 = 1, digits = 1
        while digits < count || value / power >= 10 {
            power *= 10
            digits += 1
        }
        return (digits, power)
    }

    private mutating func append(digits value: UInt64, from highest: UInt64) {
        var power = highest
        while power > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / power % 10))
            power /= 10
        }
    }
}

/// Text for an address, as SigV4 has it: letters, digits and "-._~" as they are, every other byte of UTF-8 as %XX.
package enum PercentEncoding {
    package static func query(_ text: String) -> String { encoded(text, keeping: []) }

    /// The same with "/" between segments.
    package static func path(_ text: String) -> String { encoded(text, keeping: [UInt8(ascii: "/")]) }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encoded(_ text: String, keeping extra: [UInt8]) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            case _ where extra.contains(byte): result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// %XX back to text, as S3 writes keys on request ("+" is a space there).
    package static func decoded(_ text: some StringProtocol) -> String {
        var result: [UInt8] = [], rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

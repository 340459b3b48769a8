package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two lower-case digits a byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for what is not pairs of digits.
    package static func bytes(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: characters.count, by: 2) {
            guard let byte = UInt8(String(decoding: characters[place...place + 1], as: UTF8.self), radix: 16),
                characters[place] != UInt8(ascii: "+")
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}

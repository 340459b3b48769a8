/// Reads a JSON document (RFC 8259) from its beginning to its end, without keeping what it has: a list of millions of numbers becomes an
/// array of their own type at once. Escapes in texts stay as they are written.
struct JSONCursor {
    /// The document is no JSON there, or has another type than was asked for.
    struct Mismatch: Error {}

    private let bytes: [UInt8]
    private var position = 0, depth = 0

    private static let deepest = 128

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Calls `take` for each member of an object; it has to read the value, or to skip it.
    mutating func members(_ take: (_ name: String, _ value: inout JSONCursor) throws(Mismatch) -> Void) throws(Mismatch) {
        try all(from: "{", to: "}") { cursor throws(Mismatch) in
            let name = try cursor.text()
            try cursor.expect(":")
            try take(name, &cursor)
        }
    }

    /// Calls `take` for each value of a list; it has to read the value, or to skip it.
    mutating func elements(_ take: (_ value: inout JSONCursor) throws(Mismatch) -> Void) throws(Mismatch) {
        try all(from: "[", to: "]", take)
    }

    /// Of an object the members of these names that are texts.
    mutating func texts(_ names: Set<String>) throws(Mismatch) -> [String: String] {
        var found: [String: String] = [:]
        try members { name, value throws(Mismatch) in
            if names.contains(name), value.next() == Self.quote { found[name] = try value.text() } else { try value.skip() }
        }
        return found
    }

    mutating func text() throws(Mismatch) -> String { String(decoding: bytes[try textRange()], as: UTF8.self) }

    /// A list of numbers, converted from how each is written.
    mutating func numbers<Number>(_ convert: (Substring) -> Number?) throws(Mismatch) -> [Number] {
        guard next() == UInt8(ascii: "["), let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else { throw Mismatch() }
        var found: [Number] = []
        found.reserveCapacity(bytes[position..<end].count { $0 == UInt8(ascii: ",") } + 1)
        try elements { value throws(Mismatch) in
            let range = try value.numberRange()
            guard let number = convert(Substring(decoding: value.bytes[range], as: UTF8.self)) else { throw Mismatch() }
            found.append(number)
        }
        return found
    }

    /// Passes over any value.
    mutating func skip() throws(Mismatch) {
        switch next() {
        case UInt8(ascii: "{"): try members { _, value throws(Mismatch) in try value.skip() }
        case UInt8(ascii: "["): try elements { value throws(Mismatch) in try value.skip() }
        case Self.quote: _ = try textRange()
        case UInt8(ascii: "t"): try expect(word: "true")
        case UInt8(ascii: "f"): try expect(word: "false")
        case UInt8(ascii: "n"): try expect(word: "null")
        default: _ = try numberRange()
        }
    }

    /// Nothing but white space may be left.
    mutating func end() throws(Mismatch) {
        guard next() == nil else { throw Mismatch() }
    }

    private mutating func all(
        from start: Character, to end: Character, _ take: (inout JSONCursor) throws(Mismatch) -> Void
    ) throws(Mismatch) {
        try expect(start)
        depth += 1
        guard depth <= Self.deepest else { throw Mismatch() }
        if next() != end.asciiValue {
            try take(&self)
            while next() == UInt8(ascii: ",") {
                position += 1
                try take(&self)
            }
        }
        try expect(end)
        depth -= 1
    }

    // What follows white space; nil at the end.
    private mutating func next() -> UInt8? {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func expect(_ mark: Character) throws(Mismatch) {
        guard let found = next(), found == mark.asciiValue else { throw Mismatch() }
        position += 1
    }

    private mutating func expect(word: String) throws(Mismatch) {
        guard bytes[position...].starts(with: word.utf8) else { throw Mismatch() }
        position += word.utf8.count
    }

    private mutating func textRange() throws(Mismatch) -> Range<Int> {
        guard next() == Self.quote else { throw Mismatch() }
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] != Self.quote { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < bytes.count else { throw Mismatch() }
        position = end + 1
        return start..<end
    }

    private mutating func numberRange() throws(Mismatch) -> Range<Int> {
        guard next() != nil else { throw Mismatch() }
        let start = position
        while position < bytes.count, Self.isOfNumber(bytes[position]) { position += 1 }
        guard position > start else { throw Mismatch() }
        return start..<position
    }

    private static let quote = UInt8(ascii: "\"")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"),
            UInt8(ascii: "e"):
            true
        default: false
        }
    }
}

/// Text of others as a terminal and a journal may show it: a server's escape sequences and line feeds stay text.
package enum Printable {
    /// Control characters as \u{1b}.
    ///
    /// - Parameter lines: whether line feeds stay.
    package static func text(_ text: String, lines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0, lines) }) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar, lines) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Whether a text can be the name of something that is shown to people and stored: 1 to 64 bytes, none of those characters.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.unicodeScalars.contains { isControl($0, false) }
    }

    /// What a server says, in a message: as much as a person reads.
    package static func short(_ text: String, _ most: Int = 300) -> String {
        let start = text.prefix(most)
        return start.endIndex == text.endIndex ? text : start + "..."
    }

    // C0, DEL, C1, and what turns the direction of writing.
    private static func isControl(_ scalar: Unicode.Scalar, _ lines: Bool) -> Bool {
        switch scalar.value {
        case 10: !lines
        case 0..<32, 127..<160, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}

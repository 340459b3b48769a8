internal import Support

/// Comma-separated text as spreadsheets write it (RFC 4180): a cell in quotes may hold commas, line breaks and, doubled, quotes.
struct QuotedCSV {
    private let bytes: [UInt8]
    private var position = 0, line = 1

    private static let quote = UInt8(ascii: "\""), comma = UInt8(ascii: ","), feed = UInt8(ascii: "\n"), blank = UInt8(ascii: " ")

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next row and the line that it begins in; nil at the end.
    ///
    /// - Throws: `.badData` naming `path` and the line where quotes are not closed, or text follows them.
    mutating func next(_ path: String) throws(Fault) -> (line: Int, cells: [String])? {
        guard position < bytes.count else { return nil }
        let first = line
        var cells: [String] = []
        while true {
            cells.append(try cell(path))
            guard position < bytes.count else { break }
            let end = bytes[position]
            position += 1
            if end == Self.feed { break }
        }
        line += 1
        return (first, cells)
    }

    // Up to a comma, the end of a line or of all, which stays to be read.
    private mutating func cell(_ path: String) throws(Fault) -> String {
        var start = position
        while start < bytes.count, bytes[start] == Self.blank { start += 1 }
        guard start < bytes.count, bytes[start] == Self.quote else { return plain() }
        let opened = line
        var text: [UInt8] = []
        position = start + 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == Self.feed { line += 1 }
            if byte != Self.quote {
                text.append(byte)
            } else if position < bytes.count, bytes[position] == Self.quote {
                text.append(byte)
                position += 1
            } else {
                guard plain().isEmpty else {
                    throw Fault(.badData, "\(path):\(line): text follows the quotes of a cell", remedy: "Double the quotes within a cell.")
                }
                return String(decoding: text, as: UTF8.self)
            }
        }
        throw Fault(.badData, "\(path):\(opened): the quotes of a cell are not closed")
    }

    // Without the blanks around it.
    private mutating func plain() -> String {
        let rest = bytes[position...]
        let end = rest.firstIndex { $0 == Self.comma || $0 == Self.feed } ?? bytes.count
        position = end
        var cell = rest[..<end].drop { $0 == Self.blank }
        if cell.last == UInt8(ascii: "\r") { cell.removeLast() }
        while cell.last == Self.blank { cell.removeLast() }
        return String(decoding: cell, as: UTF8.self)
    }
}

internal import Support

/// Rows of a small text table, with the line that each came from.
struct CSVTable {
    struct Row {
        var path: String
        var line: Int
        var cells: [String]

        func integer(_ column: Int) throws(Fault) -> Int {
            guard let value = Int(cells[column]), value.magnitude < 1 << 30 else {
                throw Fault(.badData, "\(path):\(line): \"\(cells[column])\" is not a whole number")
            }
            return value
        }
    }

    private(set) var rows: [Row] = []

    /// A comma-separated file with a header: the named columns, in the order asked for.
    init(path: String, columns: [String]) throws(Fault) {
        try self.init(try Files.read(path, limit: 64 << 20), path: path, columns: columns)
    }

    init(_ bytes: [UInt8], path: String, columns: [String]) throws(Fault) {
        // Spreadsheets begin their UTF-8 with a byte-order mark.
        let lines = Self.lines(bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes)
        let header = lines.first.map { Self.cells($0, separator: ",") } ?? []
        var fields: [Int] = []
        for column in columns {
            guard let field = header.firstIndex(of: column) else {
                throw Fault(.badData, "\(path):1: no column \"\(column)\" in the header")
            }
            fields.append(field)
        }
        try collect(lines.dropFirst(), path, firstLine: 2, separator: ",", fields: fields, of: header.count)
    }

    /// A blank-separated file of `count` fields without a header: the fields asked for.
    init(path: String, fields: [Int], of count: Int) throws(Fault) {
        try collect(Self.lines(try Files.read(path, limit: 64 << 20))[...], path, firstLine: 1, separator: " ", fields: fields, of: count)
    }

    private mutating func collect(
        _ lines: ArraySlice<Substring>, _ path: String, firstLine: Int, separator: Character, fields: [Int], of count: Int
    ) throws(Fault) {
        for (offset, line) in lines.enumerated() where !line.isEmpty {
            let cells = Self.cells(line, separator: separator)
            guard cells.count == count else {
                throw Fault(.badData, "\(path):\(firstLine + offset): expected \(count) fields, found \(cells.count)")
            }
            rows.append(Row(path: path, line: firstLine + offset, cells: fields.map { cells[$0] }))
        }
    }

    /// Lines without their ends, \n or \r\n; text that is not UTF-8 shows as replacement characters.
    static func lines(_ bytes: [UInt8]) -> [Substring] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Substring(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }

    // By bytes: a recording has thousands of lines, and characters take ten times as long.
    static func cells(_ line: Substring, separator: Character) -> [String] {
        let blank = UInt8(ascii: " "), separator = separator.asciiValue ?? blank
        return line.utf8.split(separator: separator, omittingEmptySubsequences: separator == blank).map { cell in
            var cell = cell.drop { $0 == blank }
            while cell.last == blank { cell.removeLast() }
            return String(decoding: cell, as: UTF8.self)
        }
    }
}

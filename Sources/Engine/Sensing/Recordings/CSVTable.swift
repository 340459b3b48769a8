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

        /// - Throws: `.badData` where what it gives as the name of a person, a place of the body or an activity cannot be one.
        func requireNames(_ names: [String]) throws(Fault) {
            guard let wrong = names.first(where: { !Printable.isName($0) }) else { return }
            throw Fault(
                .badData, "\(path):\(line): \"\(Printable.short(Printable.text(wrong)))\" cannot be a name",
                remedy: "A name has 1 to 64 bytes without control characters.")
        }
    }

    private(set) var rows: [Row] = []

    /// A comma-separated file with a header: the named columns, in the order asked for.
    init(path: String, columns: [String]) throws(Fault) {
        try self.init(try Files.read(path, limit: 64 << 20), path: path, columns: columns)
    }

    init(_ bytes: [UInt8], path: String, columns: [String]) throws(Fault) {
        // Spreadsheets begin their UTF-8 with a byte-order mark.
        let bytes = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
        guard bytes.contains(UInt8(ascii: "\"")) else {
            let lines = Self.lines(bytes), header = lines.first.map { Self.cells($0, separator: ",") } ?? []
            let fields = try Self.fields(columns, header, path)
            for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
                try add(Self.cells(line, separator: ","), path, line: index + 1, fields, of: header.count)
            }
            return
        }
        var text = QuotedCSV(bytes), header: [String]?, fields: [Int] = []
        while let row = try text.next(path) {
            if let header {
                if row.cells != [""] { try add(row.cells, path, line: row.line, fields, of: header.count) }
            } else {
                header = row.cells
                fields = try Self.fields(columns, row.cells, path)
            }
        }
    }

    /// A blank-separated file of `count` fields without a header: the fields asked for.
    init(path: String, fields: [Int], of count: Int) throws(Fault) {
        for (index, line) in Self.lines(try Files.read(path, limit: 64 << 20)).enumerated() where !line.isEmpty {
            try add(Self.cells(line, separator: " "), path, line: index + 1, fields, of: count)
        }
    }

    private static func fields(_ columns: [String], _ header: [String], _ path: String) throws(Fault) -> [Int] {
        try columns.map { column throws(Fault) in
            guard let field = header.firstIndex(of: column) else {
                throw Fault(
                    .badData, "\(path):1: no column \"\(column)\" in the header",
                    remedy: "Its columns are to be \(columns.joined(separator: ", ")); they are "
                        + Printable.short(Printable.text(header.joined(separator: ", "))) + ".")
            }
            return field
        }
    }

    private mutating func add(_ cells: [String], _ path: String, line: Int, _ fields: [Int], of count: Int) throws(Fault) {
        guard !cells.allSatisfy(\.isEmpty) else { return } // what spreadsheets leave of a row
        guard cells.count == count else {
            throw Fault(.badData, "\(path):\(line): expected \(count) fields, found \(cells.count)")
        }
        rows.append(Row(path: path, line: line, cells: fields.map { cells[$0] }))
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

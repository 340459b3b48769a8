/// Rows of numbers separated by commas, without a header; blank lines are passed over.
package enum NumberRows {
    /// The cells of each row with the number of its line, from 1.
    ///
    /// - Throws: `.noInput`, `.permission`, `.badData` beyond 256 MB.
    package static func cells(_ path: String) throws(Fault) -> [(line: Int, cells: [Substring])] {
        let text = String(decoding: try Files.read(path, limit: 256 << 20), as: UTF8.self)
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap { index, line in
            line.allSatisfy(\.isWhitespace) ? nil : (index + 1, line.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed))
        }
    }

    /// The same as finite numbers, `columns` in every row.
    ///
    /// - Throws: also `.badData` naming the line.
    package static func read(_ path: String, columns: Int) throws(Fault) -> [[Double]] {
        var rows: [[Double]] = []
        for (line, cells) in try cells(path) {
            let numbers = cells.compactMap { Double($0) }.filter(\.isFinite)
            guard numbers.count == cells.count, numbers.count == columns else {
                throw Fault(.badData, "\(path):\(line) has not \(columns) numbers")
            }
            rows.append(numbers)
        }
        return rows
    }
}

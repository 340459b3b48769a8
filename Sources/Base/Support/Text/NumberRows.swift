/// Rows of numbers separated by commas; blank lines are passed over. With a header, as `gaitway features` prints one, the columns time,
/// subject and label are left out.
package enum NumberRows {
    /// The cells of each row with the number of its line, from 1.
    ///
    /// - Throws: `.noInput`, `.permission`, `.badData` beyond 256 MB.
    package static func cells(_ path: String) throws(Fault) -> [(line: Int, cells: [Substring])] {
        let bytes = try Files.read(path, limit: 256 << 20), mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = String(decoding: bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...], as: UTF8.self)
        let rows: [(line: Int, cells: [Substring])] = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .compactMap { index, line in
                line.allSatisfy(\.isWhitespace)
                    ? nil : (index + 1, line.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed))
            }
        // Tables without names of columns are written with their numbers in the place of a header.
        if rows.count > 1, let first = rows.first?.cells, first.count >= fewestNumbered, first.indices.allSatisfy({ first[$0] == "\($0)" })
        {
            return Array(rows.dropFirst())
        }
        // A line that has a number in it is a row, whatever else it has, and one that stands alone is no header.
        guard rows.count > 1, let names = rows.first?.cells, names.allSatisfy({ Double($0) == nil }) else { return rows }
        let others = names.indices.filter { notes.contains(names[$0].lowercased()) }
        return rows.dropFirst().map { row in
            row.cells.count == names.count && !others.isEmpty
                ? (row.line, row.cells.indices.filter { !others.contains($0) }.map { row.cells[$0] }) : row
        }
    }

    // Fewer may be numbers of a row.
    private static let fewestNumbered = 8

    // What a row is of, beside its numbers.
    private static let notes: Set<String> = ["time", "subject", "label"]

    /// The same as finite numbers, `columns` in every row.
    ///
    /// - Throws: also `.badData` naming the line.
    package static func read(_ path: String, columns: Int) throws(Fault) -> [[Double]] {
        var rows: [[Double]] = []
        for (line, cells) in try cells(path) {
            let numbers = cells.compactMap { Double($0) }.filter(\.isFinite)
            guard cells.count == columns else {
                let isOther = cells.contains { $0.contains(";") } || cells.count == 1 && (cells.first ?? "").contains(where: \.isWhitespace)
                throw Fault(
                    .badData, "\(path):\(line) has \(cells.count) \(cells.count == 1 ? "number" : "numbers"), not \(columns)",
                    remedy: isOther ? "Numbers are separated by commas, with points before decimals: write it with those." : nil)
            }
            guard numbers.count == columns else {
                let wrong = cells.first { Double($0).map { !$0.isFinite } ?? true } ?? ""
                throw Fault(
                    .badData, "\(path):\(line) has a field that is no finite number: \"\(Printable.short(String(wrong), 40))\"",
                    remedy: "Leave such rows out, or put a number there as in training. Numbers are written without quotation marks.")
            }
            rows.append(numbers)
        }
        return rows
    }
}

extension [[String]] {
    /// Rows of equally many cells as lines: columns as wide as what is in them, two blanks apart.
    package var columns: [String] {
        guard let first else { return [] }
        let widths = first.indices.map { column in map { $0[column].count }.max() ?? 0 }
        return map { row in String(zip(row, widths).map { $0.padded($1) }.joined(separator: "  ").trimmed) }
    }
}

extension String {
    /// With blanks behind it, up to `width` characters.
    package func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// With blanks before it, up to `width` characters.
    package func aligned(_ width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}

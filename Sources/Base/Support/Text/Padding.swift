extension String {
    /// With blanks behind it, up to `width` characters.
    package func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// With blanks before it, up to `width` characters.
    package func aligned(_ width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}

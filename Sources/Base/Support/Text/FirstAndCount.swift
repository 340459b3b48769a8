extension [String] {
    /// For a message: the first, and how many more there are; nil of none.
    package var firstAndCount: String? { first.map { count > 1 ? "\($0) and \(count - 1) more" : $0 } }
}

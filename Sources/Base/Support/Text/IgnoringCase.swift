extension Collection<String> {
    /// Where the first text stands that differs from `name` in case at most.
    package func firstIndex(ignoringCaseOf name: String) -> Index? {
        let wanted = name.lowercased()
        return firstIndex { $0.lowercased() == wanted }
    }
}

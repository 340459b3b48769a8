extension Array where Element: Comparable {
    /// The place of the largest element, the first of equals; 0 without elements.
    package var indexOfLargest: Int { indices.reduce(0) { self[$1] > self[$0] ? $1 : $0 } }
}

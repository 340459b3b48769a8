/// Decision trees whose leaves' values add up.
package struct Forest: Sendable, Equatable {
    /// Of each node, the element that it looks at; -1: a leaf.
    package var features: [Int16]
    /// What is greater goes to the second child.
    package var thresholds: [Int16]
    /// The first of two nodes behind this one; of a leaf, its row of `values`.
    package var children: [Int32]
    /// The first node of each tree.
    package var roots: [Int32]
    /// [leaves][classes]
    package var values: [Int16]
    /// From sums of values to the output.
    package var multiplier: Multiplier

    package init(
        features: [Int16], thresholds: [Int16], children: [Int32], roots: [Int32], values: [Int16], multiplier: Multiplier
    ) {
        (self.features, self.thresholds, self.children, self.roots) = (features, thresholds, children, roots)
        (self.values, self.multiplier) = (values, multiplier)
    }

    /// Bytes in the file.
    var bytes: Int { 8 * features.count + 4 * roots.count + 2 * values.count }
}

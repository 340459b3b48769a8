/// What the last layer read for some windows of each class that a network was trained on: enough to teach it another class without
/// the old ones being forgotten. Nobody's recording can be made of them.
package struct Exemplars: Sendable, Equatable {
    /// Index of each one's label.
    package var labels: [Int]
    /// [count][inputs of the last layer]: its source's integers.
    package var values: [[Int16]]

    package init(labels: [Int], values: [[Int16]]) {
        self.labels = labels
        self.values = values
    }
}

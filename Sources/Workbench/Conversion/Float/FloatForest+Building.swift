internal import Support

/// A node of a tree, as files have it.
enum TreeNode {
    /// The number of its row of values.
    case leaf(Int)
    /// What is at most the threshold goes left, or what is below it where `isStrict`.
    case split(feature: Int, threshold: Float, isStrict: Bool, left: Int, right: Int)
}

extension FloatForest {
    /// Without trees.
    init(classes: Int) { self.init(features: [], thresholds: [], isStrict: [], children: [], roots: [], values: [], classes: classes) }

    /// Appends a tree, two children beside each other and behind their parent.
    ///
    /// - Parameters:
    ///   - most: nodes that it can have.
    ///   - node: one of them, by the file's number.
    /// - Returns: false where it has more, as one with a circle does.
    mutating func append(root: Int, most: Int, _ node: (Int) throws(Fault) -> TreeNode) throws(Fault) -> Bool {
        let start = features.count
        roots.append(Int32(clamping: start))
        var queue = [root], at = 0
        while at < queue.count {
            guard queue.count <= most else { return false }
            switch try node(queue[at]) {
            case .leaf(let row):
                features.append(-1)
                thresholds.append(0)
                isStrict.append(false)
                children.append(Int32(clamping: row))
            case .split(let feature, let threshold, let isBelow, let left, let right):
                features.append(Int16(clamping: feature))
                thresholds.append(isBelow ? max(threshold.nextDown, -.greatestFiniteMagnitude) : threshold)
                isStrict.append(isBelow)
                children.append(Int32(clamping: start + queue.count))
                queue += [left, right]
            }
            at += 1
        }
        return true
    }
}

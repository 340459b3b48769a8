internal import NeuralNetwork
internal import Support

/// Forests and boosted trees, as scikit-learn's, XGBoost's and LightGBM's converters write them.
extension ONNXBuilder {
    mutating func appendTrees(_ node: ONNXFile.Node, endsIn: Bool) throws(Fault) {
        let source = try value(node, 0)
        let names = node.texts("classlabels_strings"), numbers = try node.integers("classlabels_int64s") ?? []
        let classes = max(names.count, numbers.count)
        guard (2...64).contains(classes), source.constant == nil else {
            throw refused(node, "it has \(classes) classes; 2 to 64 can be run")
        }
        labels.append(names.isEmpty ? numbers.map { "\($0)" } : names)
        var forest = try nodes(node, features: source.count)
        let ids = try node.integers("class_ids") ?? [], transform = node.text("post_transform") ?? "NONE"
        guard ["NONE", "SOFTMAX", "LOGISTIC"].contains(transform), ids.allSatisfy({ (0..<classes).contains($0) }) else {
            throw refused(node, "its post_transform is \(transform), or its classes are not its labels")
        }
        // One score for two classes is the second's.
        let isSingle = classes == 2 && Set(ids).count == 1
        let base = node.floats("base_values")
        guard !isSingle || transform == "LOGISTIC" || transform == "NONE" && base.isEmpty else {
            throw refused(node, "it has one score for two classes, and post_transform \(transform)")
        }
        var start = [Float](repeating: 0, count: classes)
        for (index, value) in base.prefix(classes).enumerated() { start[isSingle ? 1 : index] = value }
        // Without a transform trees give probabilities, or scores of which the largest decides; one score decides by its sign.
        let areProbabilities = try areProbabilities(node, base), isProbability = transform == "NONE" && areProbabilities
        if isSingle, isProbability { start[0] += 1 }
        // A part to each tree: where one began with all of it, the others' values would be rounded in its range.
        for index in start.indices { start[index] /= Float(forest.roots.count) }
        try addLeaves(node, &forest, start: start, isSingle: isSingle, isProbability: isProbability)
        guard endsIn || isProbability || transform != "NONE" || !isSingle else {
            throw refused(node, "what it gives are two scores out of one, and it is not the last")
        }
        if endsIn { graph.output = isProbability ? .independent : transform == "LOGISTIC" && !isSingle ? .logits : .softmax }
        let from = arranged(source, axes: Array(source.shape.indices), FloatShape(channels: source.count))
        let place = append(.forest(forest), [from], FloatShape(channels: classes))
        let curve: Expression = transform == "LOGISTIC" && !isSingle ? .curve(.sigmoid, .input) : .input
        var result = ONNXValue(place: place, curve: curve, shape: [1, classes])
        if !endsIn, transform == "SOFTMAX" || transform == "LOGISTIC" && isSingle {
            result = softmax(result, axis: 1, endsIn: false)
        }
        try define(node, result, output: node.outputs.count > 1 ? 1 : 0)
    }

    // Whether no sum of a class' leaves, one of each tree, leaves 0 ... 1.
    private func areProbabilities(_ node: ONNXFile.Node, _ base: [Float]) throws(Fault) -> Bool {
        let trees = try node.integers("class_treeids") ?? [], classes = try node.integers("class_ids") ?? []
        var largest: [Key: Float] = [:], sums: [Int: Float] = [:]
        for (index, weight) in node.floats("class_weights").enumerated() where index < min(trees.count, classes.count) {
            guard weight >= 0 else { return false }
            let key = Key(tree: trees[index], node: classes[index])
            largest[key] = max(largest[key] ?? 0, weight)
        }
        for (key, weight) in largest { sums[key.node, default: 0] += weight }
        return base.allSatisfy { $0 == 0 } && sums.values.allSatisfy { $0 < 1.001 }
    }

    // The nodes of every tree in an order in which two children lie together, behind their parent.
    private func nodes(_ node: ONNXFile.Node, features: Int) throws(Fault) -> FloatForest {
        let trees = try node.integers("nodes_treeids") ?? [], ids = try node.integers("nodes_nodeids") ?? []
        let asked = try node.integers("nodes_featureids") ?? [], modes = node.texts("nodes_modes"), limits = node.floats("nodes_values")
        let yes = try node.integers("nodes_truenodeids") ?? [], no = try node.integers("nodes_falsenodeids") ?? []
        guard !trees.isEmpty, [ids.count, asked.count, modes.count, limits.count, yes.count, no.count].allSatisfy({ $0 == trees.count })
        else {
            throw refused(node, "its lists of nodes have different lengths")
        }
        var places: [Key: Int] = [:], first: [Int: Int] = [:], order: [Int] = [], isChild = Set<Key>()
        for index in trees.indices {
            guard places.updateValue(index, forKey: Key(tree: trees[index], node: ids[index])) == nil else {
                throw refused(node, "node \(ids[index]) of tree \(trees[index]) is there twice")
            }
            if first[trees[index]] == nil { order.append(trees[index]) }
            first[trees[index]] = first[trees[index]] ?? index
            guard modes[index] != "LEAF" else { continue }
            isChild.insert(Key(tree: trees[index], node: yes[index]))
            isChild.insert(Key(tree: trees[index], node: no[index]))
        }
        var forest = FloatForest(classes: 0)
        for tree in order {
            guard let root = first[tree], !isChild.contains(Key(tree: tree, node: ids[root])) else {
                throw refused(node, "tree \(tree) has no root")
            }
            let isWhole = try forest.append(root: root, most: trees.count) { index throws(Fault) in
                if modes[index] == "LEAF" { return .leaf(index) } // the leaf's row, later
                func refused(_ why: String) -> Fault { self.refused(node, "node \(ids[index]) of tree \(tree) (\(modes[index])) \(why)") }
                guard ["BRANCH_LEQ", "BRANCH_LT"].contains(modes[index]) else { throw refused("is no comparison with at most or less") }
                guard (0..<min(features, 32767)).contains(asked[index]) else {
                    throw refused("reads number \(asked[index]) of a row, from 0; there are \(features)")
                }
                guard limits[index].isFinite else { throw refused("has the threshold \(limits[index])") }
                guard let left = places[Key(tree: tree, node: yes[index])], let right = places[Key(tree: tree, node: no[index])] else {
                    throw refused("has a branch to no node")
                }
                return .split(
                    feature: asked[index], threshold: limits[index], isStrict: modes[index] == "BRANCH_LT", left: left, right: right)
            }
            guard isWhole else { throw refused(node, "tree \(tree) has a node that is the child of two") }
        }
        return forest
    }

    private struct Key: Hashable {
        var tree: Int
        var node: Int
    }

    // Rows of values, each just once; `start` is what every row begins with.
    private func addLeaves(
        _ node: ONNXFile.Node, _ forest: inout FloatForest, start: [Float], isSingle: Bool, isProbability: Bool
    ) throws(Fault) {
        let trees = try node.integers("nodes_treeids") ?? [], ids = try node.integers("nodes_nodeids") ?? []
        let ofTree = try node.integers("class_treeids") ?? [], ofNode = try node.integers("class_nodeids") ?? []
        let classes = try node.integers("class_ids") ?? [], weights = node.floats("class_weights")
        guard ofTree.count == classes.count, ofNode.count == classes.count, weights.count == classes.count, weights.allSatisfy(\.isFinite)
        else {
            throw refused(node, "its lists of classes have different lengths, or a weight is not finite")
        }
        forest.classes = start.count
        var rows: [Key: [Float]] = [:]
        for (index, weight) in weights.enumerated() {
            var row = rows[Key(tree: ofTree[index], node: ofNode[index])] ?? [Float](repeating: 0, count: start.count)
            if isSingle {
                row[1] += weight
                if isProbability { row[0] -= weight }
            } else {
                row[classes[index]] += weight
            }
            rows[Key(tree: ofTree[index], node: ofNode[index])] = row
        }
        var known: [[Float]: Int32] = [:]
        for place in forest.features.indices where forest.features[place] < 0 {
            let index = Int(forest.children[place])
            var row = rows[Key(tree: trees[index], node: ids[index])] ?? [Float](repeating: 0, count: start.count)
            for one in row.indices { row[one] += start[one] }
            if known[row] == nil {
                known[row] = Int32(clamping: known.count)
                forest.values += row
            }
            forest.children[place] = known[row] ?? 0
        }
        guard forest.values.allSatisfy(\.isFinite) else { throw refused(node, "the weights of a leaf are not finite together") }
    }
}

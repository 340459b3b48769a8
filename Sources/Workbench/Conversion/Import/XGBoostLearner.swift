/// What a model of XGBoost says of its trees, as it says it; nothing of it is checked but its types.
struct XGBoostLearner {
    struct Tree {
        var leftChildren: [Int32] = [], rightChildren: [Int32] = [], splitIndices: [Int32] = [], splitConditions: [Float] = []
        /// Whether a node asks for one of several categories.
        var hasCategories = false
        var parameters: [String: String] = [:]
    }

    var objective = "", booster = ""
    /// Numbers as texts: base_score, num_class, num_feature.
    var parameters: [String: String] = [:]
    var attributes: [String: String] = [:]
    /// Numbers as texts: num_parallel_tree.
    var treeParameters: [String: String] = [:]
    var trees: [Tree] = []
    /// The class of each tree.
    var treeInfo: [Int32] = []

    static let mostTrees = 1 << 16

    /// Lists that run without being kept stay in their text.
    init(_ bytes: [UInt8]) throws(JSONCursor.Mismatch) {
        var cursor = JSONCursor(bytes), isThere = false
        try cursor.members { name, value throws(JSONCursor.Mismatch) in
            guard name == "learner" else { return try value.skip() }
            isThere = true
            try read(&value)
        }
        try cursor.end()
        guard isThere else { throw JSONCursor.Mismatch() }
    }

    private mutating func read(_ learner: inout JSONCursor) throws(JSONCursor.Mismatch) {
        try learner.members { name, value throws(JSONCursor.Mismatch) in
            switch name {
            case "attributes": attributes = try value.texts(["best_iteration"])
            case "learner_model_param": parameters = try value.texts(["base_score", "num_class", "num_feature"])
            case "objective": objective = try value.texts(["name"])["name"] ?? ""
            case "gradient_booster":
                try value.members { name, value throws(JSONCursor.Mismatch) in
                    switch name {
                    case "name": booster = try value.text()
                    case "model": try readTrees(&value)
                    default: try value.skip()
                    }
                }
            default: try value.skip()
            }
        }
    }

    private mutating func readTrees(_ model: inout JSONCursor) throws(JSONCursor.Mismatch) {
        try model.members { name, value throws(JSONCursor.Mismatch) in
            switch name {
            case "gbtree_model_param": treeParameters = try value.texts(["num_parallel_tree"])
            case "tree_info": treeInfo = try value.numbers { Int32($0) }
            case "trees":
                trees = []
                try value.elements { tree throws(JSONCursor.Mismatch) in
                    // One more shows that there are too many.
                    if trees.count <= Self.mostTrees { trees.append(try Tree(&tree)) } else { try tree.skip() }
                }
            default: try value.skip()
            }
        }
    }
}

extension XGBoostLearner.Tree {
    fileprivate init(_ tree: inout JSONCursor) throws(JSONCursor.Mismatch) {
        self.init()
        try tree.members { name, value throws(JSONCursor.Mismatch) in
            switch name {
            case "left_children": leftChildren = try value.numbers { Int32($0) }
            case "right_children": rightChildren = try value.numbers { Int32($0) }
            case "split_indices": splitIndices = try value.numbers { Int32($0) }
            case "split_conditions": splitConditions = try value.numbers { Float($0) }
            case "split_type": hasCategories = try value.numbers { Int32($0) }.contains { $0 != 0 }
            case "tree_param": parameters = try value.texts(["size_leaf_vector"])
            default: try value.skip()
            }
        }
    }
}

internal import NeuralNetwork
package import Support

/// Boosted trees as XGBoost saves them itself (`save_model("trees.json")`).
package struct XGBoostFile {
    /// One forest, whose sums are the classes' scores.
    package let graph: FloatGraph

    package static let sizeLimit = 64 << 20

    /// Whether bytes begin as such a file does.
    package static func begins(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(64), as: UTF8.self).filter { !$0.isWhitespace }
        return start.hasPrefix("{\"learner\":") || start.hasPrefix("{\"version\":[")
    }

    /// - Throws: `.badData` naming what cannot be run.
    package init(_ bytes: [UInt8], path: String) throws(Fault) {
        let learner: XGBoostLearner
        do throws(JSONCursor.Mismatch) {
            learner = try XGBoostLearner(bytes)
        } catch {
            throw Fault(.badData, "\(path) is no model of XGBoost", remedy: "Save it anew with save_model(\"trees.json\").")
        }
        let builder = try Builder(learner, path: path)
        var graph = FloatGraph(input: FloatShape(channels: builder.inputs), output: .softmax)
        graph.state = .fresh
        graph.append(.forest(try builder.forest()), FloatShape(channels: builder.classes))
        self.graph = graph
    }

    /// Makes one forest of all trees.
    private struct Builder {
        private let path: String, trees: ArraySlice<XGBoostLearner.Tree>, groups: [Int32], start: [Float], isOfTwo: Bool
        let inputs: Int, classes: Int

        private static let most = 1 << 24, objectives = ["multi:softprob", "multi:softmax"],
            ofTwo = ["binary:logistic", "reg:logistic", "binary:logitraw"]

        init(_ learner: XGBoostLearner, path: String) throws(Fault) {
            self.path = path
            func bad(_ what: String) -> Fault { XGBoostFile.bad(path, what) }
            let all = learner.trees, groups = learner.treeInfo, objective = learner.objective
            guard all.count <= XGBoostLearner.mostTrees else { throw bad("it has more than \(XGBoostLearner.mostTrees) trees") }
            guard learner.booster == "gbtree", !all.isEmpty, groups.count == all.count else {
                throw bad("its booster is \(Printable.short(learner.booster, 40)); gbtree with trees can be run")
            }
            func number(_ name: String) -> Int { learner.parameters[name].flatMap { Int($0) } ?? 0 }
            isOfTwo = Self.ofTwo.contains(objective)
            let named = number("num_class")
            classes = isOfTwo ? 2 : named
            guard isOfTwo || Self.objectives.contains(objective) else {
                let known = (Self.ofTwo + Self.objectives).joined(separator: ", ")
                throw bad("its objective is \(Printable.short(objective, 40)); \(known) can be run")
            }
            guard (2...64).contains(classes) else { throw bad("it has \(named) classes; 2 to 64 can be run") }
            let parts = isOfTwo ? 1 : classes
            self.groups = groups
            guard groups.allSatisfy({ (0..<parts).contains(Int($0)) }) else { throw bad("a tree is of a class that is not there") }
            inputs = number("num_feature")
            guard (1..<32767).contains(inputs) else {
                throw bad("it has \(Printable.short(learner.parameters["num_feature"] ?? "no", 40)) features; 1 to 32,766 can be run")
            }
            // After training that stopped early XGBoost decides by the trees up to the best.
            var used = all.count
            if let best = learner.attributes["best_iteration"].flatMap({ Int($0) }), (0..<used).contains(best) {
                let together = learner.treeParameters["num_parallel_tree"].flatMap { Int($0) } ?? 1
                if (1...used).contains(together) { used = min(used, (best + 1) * parts * together) }
            }
            trees = all.prefix(used)
            guard trees.reduce(0, { $0 + $1.leftChildren.count }) <= Self.most / classes else { throw bad("it has too many nodes") }
            start = try XGBoostFile.start(
                learner.parameters["base_score"] ?? "", isProbability: objective.hasSuffix(":logistic"), path: path)
            guard start.count == 1 || start.count == parts, start.allSatisfy(\.isFinite) else {
                throw bad("it has \(start.count) base scores for \(classes) classes, or one is not finite")
            }
        }

        func forest() throws(Fault) -> FloatForest {
            var forest = FloatForest(classes: classes), values: [Float] = []
            for (number, tree) in trees.enumerated() {
                let count = tree.leftChildren.count,
                    lists = [tree.rightChildren.count, tree.splitIndices.count, tree.splitConditions.count]
                guard count > 0, lists.allSatisfy({ $0 == count }), tree.splitConditions.allSatisfy(\.isFinite) else {
                    throw bad("tree \(number) has lists of different lengths, or numbers that are not finite")
                }
                guard !tree.hasCategories, ["0", "1"].contains(tree.parameters["size_leaf_vector"] ?? "1") else {
                    throw bad("tree \(number) asks for categories, or gives several numbers at once")
                }
                let isWhole = try forest.append(root: 0, most: count) { index throws(Fault) in
                    let left = Int(tree.leftChildren[index]), right = Int(tree.rightChildren[index]), value = tree.splitConditions[index]
                    if left == -1 { // the leaf's value stands where others have their threshold
                        values += (0..<classes).map { $0 == (isOfTwo ? 1 : Int(groups[number])) ? value : 0 }
                        return .leaf(values.count / classes - 1)
                    }
                    let feature = Int(tree.splitIndices[index])
                    guard (0..<count).contains(left), (0..<count).contains(right), (0..<inputs).contains(feature) else {
                        throw bad("node \(index) of tree \(number) has no children, or asks for a feature that is not there")
                    }
                    return .split(feature: feature, threshold: value, isStrict: true, left: left, right: right)
                }
                guard isWhole else { throw bad("tree \(number) has a node that is the child of two") }
            }
            // A part of the start to each tree, so that the values keep their steps.
            let part = start.map { $0 / Float(trees.count) }
            forest.values = values.enumerated().map { index, value in
                let own = index % classes
                return isOfTwo && own == 0 ? value : value + part[part.count == 1 ? 0 : own]
            }
            guard forest.values.allSatisfy(\.isFinite) else { throw bad("the values of a leaf and the base score are not finite together") }
            return forest
        }

        private func bad(_ what: String) -> Fault { XGBoostFile.bad(path, what) }
    }

    private static func bad(_ path: String, _ what: String) -> Fault {
        Fault(
            .badData, "\(path): \(what)",
            remedy: "Boosted trees (gbtree) of classes can be run: binary:logistic, multi:softprob. Is the file whole?"
        )
    }

    // "5E-1", or "[5E-1,1E0]" as newer versions write it; a probability with binary:logistic and reg:logistic.
    private static func start(_ text: String, isProbability: Bool, path: String) throws(Fault) -> [Float] {
        let numbers = text.filter { $0 != "[" && $0 != "]" }.split(separator: ",").map { Double($0) }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0?.isFinite ?? false }),
            !isProbability || numbers.allSatisfy({ $0.map { $0 > 0 && $0 < 1 } ?? false })
        else { throw bad(path, "its base score is \"\(text.prefix(40))\", no number\(isProbability ? " between 0 and 1" : "")") }
        return numbers.compactMap { $0 }.map { isProbability ? Float(Exponential.log($0 / (1 - $0))) : Float($0) }
    }
}

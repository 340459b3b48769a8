internal import FoundationEssentials
internal import NeuralNetwork
package import Support

/// Boosted trees as XGBoost saves them itself (`save_model("trees.json")`).
package struct XGBoostFile {
    /// One forest, whose sums are the classes' scores.
    package let graph: FloatGraph

    private struct File: Decodable {
        var learner: Learner
    }

    private struct Learner: Decodable {
        var learner_model_param: Parameters
        var objective: Objective
        var gradient_booster: Booster
        var attributes: [String: String]?
    }

    // All of them are texts.
    private struct Parameters: Decodable {
        var base_score: String
        var num_class: String
        var num_feature: String
    }

    private struct Objective: Decodable {
        var name: String
    }

    private struct Booster: Decodable {
        var name: String
        var model: Model?
    }

    private struct Model: Decodable {
        var trees: [Tree]?
        var tree_info: [Int]?
        var gbtree_model_param: [String: String]?
    }

    private struct Tree: Decodable {
        var left_children: [Int]
        var right_children: [Int]
        var split_indices: [Int]
        var split_conditions: [Float]
        var split_type: [Int]?
        var tree_param: [String: String]?
    }

    package static let sizeLimit = 64 << 20

    /// Whether bytes begin as such a file does.
    package static func begins(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(64), as: UTF8.self).filter { !$0.isWhitespace }
        return start.hasPrefix("{\"learner\":") || start.hasPrefix("{\"version\":[")
    }

    /// - Throws: `.badData` naming what cannot be run.
    package init(_ bytes: [UInt8], path: String) throws(Fault) {
        guard let learner = (try? JSONDecoder().decode(File.self, from: Data(bytes)))?.learner else {
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
        private let path: String, trees: ArraySlice<Tree>, groups: [Int], start: [Float], isOfTwo: Bool
        let inputs: Int, classes: Int

        private static let most = 1 << 24, objectives = ["multi:softprob", "multi:softmax"],
            ofTwo = ["binary:logistic", "reg:logistic", "binary:logitraw"]

        init(_ learner: Learner, path: String) throws(Fault) {
            self.path = path
            func bad(_ what: String) -> Fault { XGBoostFile.bad(path, what) }
            let booster = learner.gradient_booster, objective = learner.objective.name, parameters = learner.learner_model_param
            guard booster.name == "gbtree", let model = booster.model, let all = model.trees, let groups = model.tree_info, !all.isEmpty,
                groups.count == all.count
            else { throw bad("its booster is \(booster.name); gbtree with trees can be run") }
            isOfTwo = Self.ofTwo.contains(objective)
            let named = Int(parameters.num_class) ?? 0
            classes = isOfTwo ? 2 : named
            guard isOfTwo || Self.objectives.contains(objective) else {
                throw bad("its objective is \(objective); \((Self.ofTwo + Self.objectives).joined(separator: ", ")) can be run")
            }
            guard (2...64).contains(classes) else { throw bad("it has \(named) classes; 2 to 64 can be run") }
            let parts = isOfTwo ? 1 : classes
            self.groups = groups
            guard groups.allSatisfy({ (0..<parts).contains($0) }) else { throw bad("a tree is of a class that is not there") }
            guard let count = Int(parameters.num_feature), (1..<32767).contains(count) else {
                throw bad("it has \(parameters.num_feature) features; 1 to 32,766 can be run")
            }
            inputs = count
            // After training that stopped early XGBoost decides by the trees up to the best.
            var used = all.count
            if let best = learner.attributes?["best_iteration"].flatMap({ Int($0) }), (0..<used).contains(best) {
                let together = model.gbtree_model_param?["num_parallel_tree"].flatMap { Int($0) } ?? 1
                if (1...used).contains(together) { used = min(used, (best + 1) * parts * together) }
            }
            trees = all.prefix(used)
            guard trees.reduce(0, { $0 + $1.left_children.count }) <= Self.most / classes else { throw bad("it has too many nodes") }
            start = try XGBoostFile.start(parameters.base_score, isProbability: objective.hasSuffix(":logistic"), path: path)
            guard start.count == 1 || start.count == parts, start.allSatisfy(\.isFinite) else {
                throw bad("it has \(start.count) base scores for \(classes) classes, or one is not finite")
            }
        }

        func forest() throws(Fault) -> FloatForest {
            var forest = FloatForest(classes: classes), values: [Float] = []
            for (number, tree) in trees.enumerated() {
                let count = tree.left_children.count,
                    lists = [tree.right_children.count, tree.split_indices.count, tree.split_conditions.count]
                guard count > 0, lists.allSatisfy({ $0 == count }), tree.split_conditions.allSatisfy(\.isFinite) else {
                    throw bad("tree \(number) has lists of different lengths, or numbers that are not finite")
                }
                guard tree.split_type?.allSatisfy({ $0 == 0 }) ?? true, ["0", "1"].contains(tree.tree_param?["size_leaf_vector"] ?? "1")
                else {
                    throw bad("tree \(number) asks for categories, or gives several numbers at once")
                }
                let isWhole = try forest.append(root: 0, most: count) { index throws(Fault) in
                    let left = tree.left_children[index], right = tree.right_children[index], value = tree.split_conditions[index]
                    if left == -1 { // the leaf's value stands where others have their threshold
                        values += (0..<classes).map { $0 == (isOfTwo ? 1 : groups[number]) ? value : 0 }
                        return .leaf(values.count / classes - 1)
                    }
                    guard (0..<count).contains(left), (0..<count).contains(right), (0..<inputs).contains(tree.split_indices[index]) else {
                        throw bad("node \(index) of tree \(number) has no children, or asks for a feature that is not there")
                    }
                    return .split(feature: tree.split_indices[index], threshold: value, isStrict: true, left: left, right: right)
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

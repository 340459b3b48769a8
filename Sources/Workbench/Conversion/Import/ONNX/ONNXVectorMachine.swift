internal import NeuralNetwork
internal import Support

/// A support vector machine as ONNX's SVMClassifier has it: between each two classes a score, which is a weighted sum of what the kernel
/// makes of the input and each vector.
struct ONNXVectorMachine {
    /// Nil: products alone.
    let kernel: FloatSupportVectors.Kernel?
    let names: [String]
    let inputs: Int, count: Int
    /// [count][inputs]
    let vectors: [Float]
    /// Of each pair of classes, the first of them with all behind it, then the second: [pairs][count], and what is added.
    private(set) var weights: [Float], bias: [Float]
    let gamma: Double

    var pairs: [(Int, Int)] { names.indices.flatMap { first in ((first + 1)..<max(first + 1, names.count)).map { (first, $0) } } }

    /// - Throws: `.badData`, as `refused` words it.
    init(_ node: ONNXFile.Node, inputs: Int, refused: (String) -> Fault) throws(Fault) {
        let perClass = try node.integers("vectors_per_class") ?? [], names = try ONNXBuilder.labels(node) ?? []
        guard (2...64).contains(names.count), perClass.count == names.count, perClass.allSatisfy({ (0...4096).contains($0) }) else {
            throw refused("it has \(names.count) classes, with vectors of \(perClass.count); 2 to 64 can be run")
        }
        let count = perClass.reduce(0, +), classes = names.count, pairs = classes * (classes - 1) / 2
        let parameters = node.floats("kernel_params"), vectors = node.floats("support_vectors"), rho = node.floats("rho")
        let coefficients = node.floats("coefficients")
        guard (1...4096).contains(count), vectors.count == count * inputs, coefficients.count == (classes - 1) * count,
            rho.count == pairs, (vectors + coefficients + rho + parameters).allSatisfy(\.isFinite)
        else {
            throw refused("it has \(count) vectors of \(inputs) numbers in lists of other lengths, or more than 4096 of them")
        }
        guard node.floats("prob_a").isEmpty, (node.text("post_transform") ?? "NONE") == "NONE" else {
            throw refused("it gives probabilities, which decide otherwise than its votes; train it with probability=False")
        }
        gamma = Double(parameters.first ?? 0)
        let offset = Double(parameters.dropFirst().first ?? 0)
        let degree = Double(parameters.dropFirst(2).first ?? 0)
        switch node.text("kernel_type") ?? "LINEAR" {
        case "LINEAR": kernel = nil
        case "RBF" where gamma > 0: kernel = .radial
        case "POLY" where (1...8).contains(degree) && degree == degree.rounded():
            kernel = .polynomial(degree: Int(degree), offset: offset)
        case "SIGMOID": kernel = .sigmoid(offset: offset)
        default: throw refused("its kernel is \(node.text("kernel_type") ?? ""), gamma \(gamma), degree \(degree)")
        }
        (self.names, self.inputs, self.count, self.vectors, bias) = (names, inputs, count, vectors, rho)
        var starts = [0], weights = [Float](repeating: 0, count: pairs * count), pair = 0
        for each in perClass { starts.append(starts[starts.count - 1] + each) }
        for first in 0..<classes {
            for second in (first + 1)..<max(first + 1, classes) {
                for vector in starts[first]..<starts[first + 1] {
                    weights[pair * count + vector] = coefficients[(second - 1) * count + vector]
                }
                for vector in starts[second]..<starts[second + 1] { weights[pair * count + vector] = coefficients[first * count + vector] }
                pair += 1
            }
        }
        self.weights = weights
    }

    /// The same decisions with scores of about one at the vectors themselves: only their signs count, and each pair of classes may have
    /// its own unit, as those of NuSVC do.
    var normalised: ONNXVectorMachine {
        let most = 64, step = max(1, count / most), sampled = Array(stride(from: 0, to: count, by: step))
        let values = sampled.map { sample in (0..<count).map { value(vector(sample), vector($0)) } }
        var machine = self
        for pair in bias.indices {
            let own = weights[pair * count..<(pair + 1) * count].map { Double($0) }, added = Double(bias[pair])
            let scores = zip(sampled, values).compactMap { sample, values in
                own[sample] == 0 ? nil : zip(own, values).reduce(added) { $0 + $1.0 * $1.1 }.magnitude
            }
            let typical = scores.sorted().dropFirst(scores.count / 2).first ?? 1
            guard typical > 1e-30, typical < 1e30 else { continue }
            for index in 0..<count { machine.weights[pair * count + index] = Float(own[index] / typical) }
            machine.bias[pair] = Float(added / typical)
        }
        return machine
    }

    private func vector(_ index: Int) -> ArraySlice<Float> { vectors[index * inputs..<(index + 1) * inputs] }

    private func value(_ left: ArraySlice<Float>, _ right: ArraySlice<Float>) -> Double {
        kernel?.value(left, right, gamma: gamma) ?? FloatSupportVectors.Kernel.product(left, right)
    }
}

internal import NeuralNetwork
internal import Support

/// A support vector machine as ONNX's SVMClassifier has it: between each two classes a score, which is a weighted sum of what the kernel
/// makes of the input and each vector.
struct ONNXVectorMachine {
    enum Kernel { case linear, radial, polynomial(degree: Int), sigmoid }

    let kernel: Kernel
    let names: [String]
    let inputs: Int, count: Int
    /// [count][inputs]
    let vectors: [Float]
    /// Of each pair of classes, the first of them with all behind it, then the second: [pairs][count], and what is added.
    let weights: [Float], bias: [Float]
    let gamma: Double, offset: Double

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
        (gamma, offset) = (Double(parameters.first ?? 0), Double(parameters.dropFirst().first ?? 0))
        let degree = Double(parameters.dropFirst(2).first ?? 0)
        switch node.text("kernel_type") ?? "LINEAR" {
        case "LINEAR": kernel = .linear
        case "RBF" where gamma > 0: kernel = .radial
        case "POLY" where (1...8).contains(degree) && degree == degree.rounded(): kernel = .polynomial(degree: Int(degree))
        case "SIGMOID": kernel = .sigmoid
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

    /// Of a linear kernel: the scores out of the inputs themselves, [pairs][inputs].
    var linearWeights: [Float] {
        bias.indices.flatMap { pair in
            var sums = [Double](repeating: 0, count: inputs)
            for vector in 0..<count {
                let weight = Double(weights[pair * count + vector])
                guard weight != 0 else { continue }
                for input in 0..<inputs { sums[input] += weight * Double(vectors[vector * inputs + input]) }
            }
            return sums.map { Float($0) }
        }
    }

    /// gamma x input . vector + offset, of each vector: [count][inputs].
    var products: FloatWeights {
        FloatWeights(
            inputs: inputs, outputs: count, values: vectors.map { Float(gamma * Double($0)) },
            bias: [Float](repeating: Float(offset), count: count))
    }

    /// -gamma x |input - vector|^2 + `above`, of each vector, out of the inputs and their squares: [count][2 inputs].
    func distances(above: Double) -> FloatWeights {
        var values: [Float] = [], bias: [Float] = []
        for vector in 0..<count {
            let numbers = vectors[vector * inputs..<(vector + 1) * inputs].map { Double($0) }
            values += numbers.map { Float(2 * gamma * $0) } + [Float](repeating: Float(-gamma), count: inputs)
            bias.append(Float(above - gamma * numbers.reduce(0) { $0 + $1 * $1 }))
        }
        return FloatWeights(inputs: 2 * inputs, outputs: count, values: values, bias: bias)
    }
}

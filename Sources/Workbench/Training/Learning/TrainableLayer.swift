internal import Support

/// Weights and biases of a layer while they learn.
struct TrainableLayer {
    /// [inputs][outputs]
    package var weights: Matrix
    /// One row.
    var bias: Matrix
    var weightMoments: Moments
    var biasMoments: Moments

    /// Weights normal with this deviation, biases 0.
    init(inputs: Int, outputs: Int, deviation: Double, _ random: inout RandomNumbers) {
        weights = Matrix(inputs, outputs)
        for row in 0..<inputs {
            for column in 0..<outputs { weights[row, column] = Float(random.normal() * deviation) }
        }
        bias = Matrix(1, outputs)
        weightMoments = Moments(like: weights)
        biasMoments = Moments(like: bias)
    }

    /// He's initialisation, for what a ReLU follows.
    init(inputs: Int, outputs: Int, _ random: inout RandomNumbers) {
        self.init(inputs: inputs, outputs: outputs, deviation: (2 / Double(inputs)).squareRoot(), &random)
    }

    func forward(_ input: Matrix, into output: inout Matrix, floor: Float = -.infinity) {
        output.setProduct(input, weights, rows: input.rows)
        output.add(bias, rows: input.rows, floor: floor)
    }

    /// Gradients of the weights for the error of the output; the error of the input goes into `inputError`.
    mutating func backward(_ input: Matrix, _ error: Matrix, into inputError: inout Matrix) {
        takeGradient(input, error)
        inputError.setProduct(error, weights.transposed(), rows: error.rows)
    }

    mutating func takeGradient(_ input: Matrix, _ error: Matrix) {
        weightMoments.gradient.setProduct(transposed: input, error, depth: error.rows)
        biasMoments.gradient.setSums(error, rows: error.rows)
    }

    var squaredGradient: Double { weightMoments.gradient.squares + biasMoments.gradient.squares }

    mutating func scaleGradient(_ factor: Float) {
        weightMoments.gradient.scale(factor)
        biasMoments.gradient.scale(factor)
    }

    mutating func update(_ adam: Adam, decay: Float) {
        adam.update(&weights, &weightMoments, decay: decay)
        adam.update(&bias, &biasMoments, decay: 0)
    }
}

extension Matrix {
    var squares: Double { values.reduce(0) { $0 + Double($1) * Double($1) } }

    mutating func scale(_ factor: Float) { for i in values.indices { values[i] *= factor } }
}

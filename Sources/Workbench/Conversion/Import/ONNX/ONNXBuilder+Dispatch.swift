internal import NeuralNetwork
internal import Support

extension ONNXBuilder {
    /// - Parameter endsIn: whether nothing behind it changes numbers.
    mutating func append(_ node: ONNXFile.Node, _ kind: ONNXOperator, endsIn: Bool) throws(Fault) {
        switch kind {
        case .quantizeLinear: try appendQuantised(node)
        case .identity, .cast, .dropout, .zipMap, .less, .and, .normalizer:
            if kind == .zipMap, labels == nil { labels = try Self.labels(node) }
            let isFloat = [0, 1, 10, 11, 16].contains(node.integer("to"))
            if kind == .cast, !isFloat, try value(node, 0).constant == nil {
                throw refused(node, "it makes whole numbers of what is computed")
            }
            guard kind != .normalizer || endsIn else { throw refused(node, "it is not the last") }
            try define(node, try value(node, 0))
        case .dequantizeLinear: try appendDequantised(node)
        case .constant, .constantOfShape, .shape, .range, .equal, .where, .reduceProd: try appendConstant(node, kind)
        case .reshape, .flatten, .squeeze, .unsqueeze, .transpose, .expand, .tile, .slice, .split, .gather, .pad, .concat,
            .reverseSequence:
            try appendMovement(node, kind)
        case .add, .sub, .mul, .div, .max, .min, .sum, .mod, .pow, .prelu: try appendArithmetic(node, kind)
        case .abs, .ceil, .celu, .clip, .elu, .erf, .exp, .floor, .gelu, .hardSigmoid, .hardSwish, .leakyRelu, .log, .mish, .neg,
            .reciprocal, .relu, .selu, .sigmoid, .sign, .softplus, .softsign, .sqrt, .swish, .tanh, .thresholdedRelu:
            try appendCurve(node, kind)
        case .gemm, .matMul: try appendProduct(node, kind)
        case .treeEnsembleClassifier: try appendTrees(node, endsIn: endsIn)
        case .linearClassifier: try appendClassifier(node, endsIn: endsIn)
        case .batchNormalization, .scaler: try appendScale(node, kind)
        case .layerNormalization: try appendLayerNormalization(node)
        case .conv: try appendConvolution(node)
        case .maxPool, .averagePool: try appendPool(node, isMaximum: kind == .maxPool)
        case .globalAveragePool, .globalMaxPool, .reduceMean, .reduceMax, .reduceMin, .reduceSum: try appendReduction(node, kind)
        case .softmax, .logSoftmax: try appendSoftmax(node, isLog: kind == .logSoftmax, endsIn: endsIn)
        case .loop: try appendLoop(node)
        case .lstm, .gru, .rnn: try appendRecurrent(node, kind)
        }
    }

    static func labels(_ node: ONNXFile.Node) throws(Fault) -> [String]? {
        let texts = node.texts("classlabels_strings")
        if !texts.isEmpty { return texts }
        var numbers = try node.integers("classlabels_ints")
        if numbers == nil { numbers = try node.integers("classlabels_int64s") }
        return numbers.flatMap { $0.isEmpty ? nil : $0.map { "\($0)" } }
    }

    /// An axis of a shape, as files write it: from the end where it is negative.
    func axis(_ node: ONNXFile.Node, _ written: Int, rank: Int) throws(Fault) -> Int {
        let axis = written < 0 ? written + rank : written
        guard (0..<rank).contains(axis) else { throw refused(node, "it has no axis \(written)") }
        return axis
    }
}

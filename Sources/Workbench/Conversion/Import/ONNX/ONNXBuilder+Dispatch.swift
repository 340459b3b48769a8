internal import NeuralNetwork
internal import Support

/// The operators that can be run, as ONNX names them.
enum ONNXOperator: String, CaseIterable {
    case abs = "Abs", add = "Add", averagePool = "AveragePool", batchNormalization = "BatchNormalization", cast = "Cast", ceil = "Ceil"
    case celu = "Celu", clip = "Clip", concat = "Concat", constant = "Constant", constantOfShape = "ConstantOfShape", conv = "Conv"
    case convInteger = "ConvInteger", dynamicQuantizeLinear = "DynamicQuantizeLinear", dynamicQuantizeLSTM = "DynamicQuantizeLSTM"
    case dequantizeLinear = "DequantizeLinear", div = "Div", dropout = "Dropout", elu = "Elu", equal = "Equal", erf = "Erf", erfc = "Erfc",
        exp = "Exp"
    case expand = "Expand", flatten = "Flatten", floor = "Floor", gather = "Gather", gelu = "Gelu", gemm = "Gemm"
    case globalAveragePool = "GlobalAveragePool", globalMaxPool = "GlobalMaxPool", gru = "GRU", hardSigmoid = "HardSigmoid"
    case hardSwish = "HardSwish", identity = "Identity", instanceNormalization = "InstanceNormalization"
    case layerNormalization = "LayerNormalization", leakyRelu = "LeakyRelu"
    case linearClassifier = "LinearClassifier", log = "Log", logSoftmax = "LogSoftmax", lstm = "LSTM", matMul = "MatMul", max = "Max"
    case matMulInteger = "MatMulInteger", maxPool = "MaxPool", min = "Min", mish = "Mish", mod = "Mod", mul = "Mul", neg = "Neg"
    case pad = "Pad", pow = "Pow", prelu = "PRelu"
    case quantizeLinear = "QuantizeLinear", range = "Range", reciprocal = "Reciprocal", reduceL2 = "ReduceL2"
    case reduceMax = "ReduceMax", reduceMean = "ReduceMean"
    case reduceMin = "ReduceMin", reduceProd = "ReduceProd", reverseSequence = "ReverseSequence", reduceSum = "ReduceSum", relu = "Relu",
        reshape = "Reshape", rnn = "RNN", scaler = "Scaler", selu = "Selu"
    case shape = "Shape", sigmoid = "Sigmoid", sign = "Sign", slice = "Slice", softmax = "Softmax", softplus = "Softplus"
    case softsign = "Softsign", split = "Split", sqrt = "Sqrt", squeeze = "Squeeze", sub = "Sub", sum = "Sum", swish = "Swish"
    case and = "And", less = "Less", loop = "Loop", normalizer = "Normalizer", treeEnsembleClassifier = "TreeEnsembleClassifier"
    case tanh = "Tanh", thresholdedRelu = "ThresholdedRelu", tile = "Tile", transpose = "Transpose", trilu = "Trilu"
    case unsqueeze = "Unsqueeze", `where` = "Where", zipMap = "ZipMap"
}

extension ONNXBuilder {
    /// - Parameter endsIn: whether nothing behind it changes numbers.
    mutating func append(_ node: ONNXFile.Node, _ kind: ONNXOperator, endsIn: Bool) throws(Fault) {
        switch kind {
        case .quantizeLinear: try appendQuantised(node, endsIn: endsIn)
        case .identity, .cast, .dropout, .zipMap, .less, .and, .normalizer:
            if kind == .zipMap, labels == nil { labels = try Self.labels(node) }
            let isFloat = [0, 1, 10, 11, 16].contains(node.integer("to"))
            if kind == .cast, !isFloat, try value(node, 0).constant == nil {
                throw refused(node, "it makes whole numbers of what is computed")
            }
            guard kind != .normalizer || endsIn else { throw refused(node, "it is not the last") }
            var result = try value(node, 0)
            if kind == .cast { result.isSigned = node.integer("to") == 3 }
            try define(node, result)
        case .dequantizeLinear: try appendDequantised(node)
        case .dynamicQuantizeLinear: try appendDynamicallyQuantised(node)
        case .constant, .constantOfShape, .shape, .range, .equal, .where, .reduceProd, .trilu: try appendConstant(node, kind)
        case .reshape, .flatten, .squeeze, .unsqueeze, .transpose, .expand, .tile, .slice, .split, .gather, .pad, .concat,
            .reverseSequence:
            try appendMovement(node, kind)
        case .add, .sub, .mul, .div, .max, .min, .sum, .mod, .pow, .prelu: try appendArithmetic(node, kind)
        case .abs, .ceil, .celu, .clip, .elu, .erf, .erfc, .exp, .floor, .gelu, .hardSigmoid, .hardSwish, .leakyRelu, .log, .mish, .neg,
            .reciprocal, .relu, .selu, .sigmoid, .sign, .softplus, .softsign, .sqrt, .swish, .tanh, .thresholdedRelu:
            try appendCurve(node, kind)
        case .gemm, .matMul, .matMulInteger: try appendProduct(node, kind)
        case .treeEnsembleClassifier: try appendTrees(node, endsIn: endsIn)
        case .linearClassifier: try appendClassifier(node, endsIn: endsIn)
        case .batchNormalization, .scaler: try appendScale(node, kind)
        case .layerNormalization: try appendLayerNormalization(node)
        case .instanceNormalization: try appendInstanceNormalization(node)
        case .conv, .convInteger: try appendConvolution(node, kind)
        case .maxPool, .averagePool: try appendPool(node, isMaximum: kind == .maxPool)
        case .globalAveragePool, .globalMaxPool, .reduceMean, .reduceL2, .reduceMax, .reduceMin, .reduceSum: try appendReduction(node, kind)
        case .softmax, .logSoftmax: try appendSoftmax(node, isLog: kind == .logSoftmax, endsIn: endsIn)
        case .loop: try appendLoop(node)
        case .lstm, .gru, .rnn, .dynamicQuantizeLSTM: try appendRecurrent(node, kind)
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

internal import NeuralNetwork
internal import Support

/// The operators that can be run, as ONNX names them.
enum ONNXOperator: String, CaseIterable {
    case abs = "Abs", acos = "Acos", add = "Add", and = "And", argMax = "ArgMax", arrayFeatureExtractor = "ArrayFeatureExtractor"
    case asin = "Asin", atan = "Atan", attention = "Attention"
    case averagePool = "AveragePool"
    case batchNormalization = "BatchNormalization"
    case cast = "Cast", ceil = "Ceil", celu = "Celu", clip = "Clip", concat = "Concat", constant = "Constant"
    case constantOfShape = "ConstantOfShape", conv = "Conv", convInteger = "ConvInteger", cos = "Cos"
    case cumSum = "CumSum"
    case dequantizeLinear = "DequantizeLinear", dft = "DFT"
    case div = "Div", dropout = "Dropout", dynamicQuantizeLinear = "DynamicQuantizeLinear"
    case dynamicQuantizeLSTM = "DynamicQuantizeLSTM"
    case einsum = "Einsum", elu = "Elu", equal = "Equal", erf = "Erf", erfc = "Erfc", exp = "Exp", expand = "Expand"
    case flatten = "Flatten", floor = "Floor"
    case gather = "Gather", gatherND = "GatherND", gelu = "Gelu", gemm = "Gemm", globalAveragePool = "GlobalAveragePool", globalMaxPool =
        "GlobalMaxPool"
    case greater = "Greater", greaterOrEqual = "GreaterOrEqual", groupNormalization = "GroupNormalization"
    case gru = "GRU"
    case hardSigmoid = "HardSigmoid", hardSwish = "HardSwish"
    case identity = "Identity", `if` = "If", imputer = "Imputer", instanceNormalization = "InstanceNormalization"
    case isInf = "IsInf", isNaN = "IsNaN"
    case layerNormalization = "LayerNormalization", leakyRelu = "LeakyRelu", less = "Less", lessOrEqual = "LessOrEqual"
    case linearClassifier = "LinearClassifier", log = "Log", logSoftmax = "LogSoftmax", loop = "Loop"
    case lpNormalization = "LpNormalization", lstm = "LSTM"
    case matMul = "MatMul", matMulInteger = "MatMulInteger", max = "Max", maxPool = "MaxPool", min = "Min", mish = "Mish", mod = "Mod"
    case mul = "Mul"
    case neg = "Neg", normalizer = "Normalizer", not = "Not"
    case or = "Or"
    case pad = "Pad", pow = "Pow", prelu = "PRelu"
    case quantizeLinear = "QuantizeLinear"
    case range = "Range", reciprocal = "Reciprocal", reduceL1 = "ReduceL1", reduceL2 = "ReduceL2"
    case reduceLogSumExp = "ReduceLogSumExp", reduceMax = "ReduceMax"
    case reduceMean = "ReduceMean", reduceMin = "ReduceMin", reduceProd = "ReduceProd", reduceSum = "ReduceSum"
    case reduceSumSquare = "ReduceSumSquare", relu = "Relu", reshape = "Reshape"
    case reverseSequence = "ReverseSequence", rmsNormalization = "RMSNormalization", rnn = "RNN", round = "Round"
    case scaler = "Scaler", selu = "Selu", shape = "Shape", sigmoid = "Sigmoid", sign = "Sign", sin = "Sin", slice = "Slice"
    case softmax = "Softmax"
    case softplus = "Softplus", softsign = "Softsign", split = "Split", sqrt = "Sqrt", stft = "STFT", squeeze = "Squeeze", sub = "Sub",
        sum = "Sum"
    case svmClassifier = "SVMClassifier", swish = "Swish"
    case tan = "Tan", tanh = "Tanh", thresholdedRelu = "ThresholdedRelu", tile = "Tile", transpose = "Transpose"
    case treeEnsembleClassifier = "TreeEnsembleClassifier", trilu = "Trilu"
    case unsqueeze = "Unsqueeze"
    case `where` = "Where"
    case zipMap = "ZipMap"
}

extension ONNXBuilder {
    /// - Parameter endsIn: whether nothing behind it changes numbers.
    mutating func append(_ node: ONNXFile.Node, _ kind: ONNXOperator, endsIn: Bool) throws(Fault) {
        if kind != .equal, node.inputs.contains(where: { captured($0)?.isChoice ?? false }) {
            throw refused(node, "it reads the place of the largest number")
        }
        switch kind {
        case .quantizeLinear: try appendQuantised(node, endsIn: endsIn)
        case .identity, .cast, .dropout, .zipMap:
            if kind == .zipMap, let names = try Self.labels(node) { labels.insert(names, at: 0) }
            let isFloat = [0, 1, 10, 11, 16].contains(node.integer("to"))
            let source = try value(node, 0)
            if kind == .cast, !isFloat, makers[node.input(0) ?? ""]?.kind != "ArgMax", source.constant == nil,
                !source.isTruth, !source.isWhole
            {
                throw refused(node, "it makes whole numbers of what is computed")
            }
            var result = source
            if kind == .cast {
                if let constant = result.constant { result = ONNXValue(constant.cast(to: node.integer("to"))) }
                result.isSigned = node.integer("to") == 3
            }
            try define(node, result)
        case .dequantizeLinear: try appendDequantised(node)
        case .dynamicQuantizeLinear: try appendDynamicallyQuantised(node)
        case .constant, .constantOfShape, .shape, .range, .reduceProd, .trilu: try appendConstant(node, kind)
        case .and, .equal, .greater, .greaterOrEqual, .isInf, .isNaN, .less, .lessOrEqual, .not, .or, .where: try appendLogic(node, kind)
        case .reshape, .flatten, .squeeze, .unsqueeze, .transpose, .expand, .tile, .slice, .split, .gather, .gatherND, .pad, .concat,
            .reverseSequence, .arrayFeatureExtractor:
            try appendMovement(node, kind)
        case .add, .sub, .mul, .div, .max, .min, .sum, .mod, .pow, .prelu: try appendArithmetic(node, kind)
        case .abs, .acos, .asin, .atan, .ceil, .celu, .clip, .cos, .elu, .erf, .erfc, .exp, .floor, .gelu, .hardSigmoid,
            .hardSwish, .leakyRelu, .log, .mish, .neg, .reciprocal, .relu, .round, .selu, .sigmoid, .sign, .sin, .softplus, .softsign,
            .sqrt, .swish, .tan, .tanh, .thresholdedRelu:
            try appendCurve(node, kind)
        case .gemm, .matMul, .matMulInteger: try appendProduct(node, kind)
        case .einsum: try appendEinsum(node)
        case .argMax: try appendDecision(node, endsIn: endsIn)
        case .imputer: try appendImputer(node)
        case .normalizer, .lpNormalization: try appendRowNormalisation(node, kind, endsIn: endsIn)
        case .treeEnsembleClassifier: try appendTrees(node, endsIn: endsIn)
        case .linearClassifier: try appendClassifier(node, endsIn: endsIn)
        case .svmClassifier: try appendVectorMachine(node, endsIn: endsIn)
        case .batchNormalization, .scaler: try appendScale(node, kind)
        case .layerNormalization: try appendLayerNormalization(node)
        case .rmsNormalization: try appendRootMeanSquare(node)
        case .instanceNormalization: try appendInstanceNormalization(node)
        case .groupNormalization: try appendGroupNormalization(node)
        case .attention: try appendAttention(node)
        case .dft: try appendFourier(node)
        case .stft: try appendShortTimeFourier(node)
        case .conv, .convInteger: try appendConvolution(node, kind)
        case .maxPool, .averagePool: try appendPool(node, isMaximum: kind == .maxPool)
        case .reduceL2 where node.axes != nil: try appendRoot(node)
        case .cumSum: try appendCumulativeSum(node)
        case .globalAveragePool, .globalMaxPool, .reduceMean, .reduceL1, .reduceL2, .reduceLogSumExp, .reduceMax, .reduceMin, .reduceSum,
            .reduceSumSquare:
            try appendReduction(node, kind)
        case .softmax, .logSoftmax: try appendSoftmax(node, isLog: kind == .logSoftmax, endsIn: endsIn)
        case .if: try appendBranch(node)
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

    /// What a normalisation is over: the axes of those that were joined to it, else all from the one that it names on.
    func axes(_ node: ONNXFile.Node, rank: Int) throws(Fault) -> [Int] {
        guard let axes = node.axes else { return Array(try axis(node, node.integer("axis", default: -1), rank: rank)..<rank) }
        return try self.axes(node, axes, rank: rank)
    }

    func axes(_ node: ONNXFile.Node, _ axes: ONNXAxes, rank: Int) throws(Fault) -> [Int] {
        switch axes {
        case .these([]): return Array(0..<rank)
        case .these(let written):
            var axes: Set<Int> = []
            for one in written { axes.insert(try axis(node, one, rank: rank)) }
            return axes.sorted()
        case .from(let first): return Array(min(first, rank)..<rank)
        }
    }
}

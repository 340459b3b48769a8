/// The operators that can be run, as ONNX names them.
enum ONNXOperator: String, CaseIterable {
    case abs = "Abs", add = "Add", averagePool = "AveragePool", batchNormalization = "BatchNormalization", cast = "Cast", ceil = "Ceil"
    case celu = "Celu", clip = "Clip", concat = "Concat", constant = "Constant", constantOfShape = "ConstantOfShape", conv = "Conv"
    case dequantizeLinear = "DequantizeLinear", div = "Div", dropout = "Dropout", elu = "Elu", equal = "Equal", erf = "Erf", exp = "Exp"
    case expand = "Expand", flatten = "Flatten", floor = "Floor", gather = "Gather", gelu = "Gelu", gemm = "Gemm"
    case globalAveragePool = "GlobalAveragePool", globalMaxPool = "GlobalMaxPool", gru = "GRU", hardSigmoid = "HardSigmoid"
    case hardSwish = "HardSwish", identity = "Identity", layerNormalization = "LayerNormalization", leakyRelu = "LeakyRelu"
    case linearClassifier = "LinearClassifier", log = "Log", logSoftmax = "LogSoftmax", lstm = "LSTM", matMul = "MatMul", max = "Max"
    case maxPool = "MaxPool", min = "Min", mish = "Mish", mod = "Mod", mul = "Mul", neg = "Neg", pad = "Pad", pow = "Pow", prelu = "PRelu"
    case quantizeLinear = "QuantizeLinear", range = "Range", reciprocal = "Reciprocal", reduceMax = "ReduceMax", reduceMean = "ReduceMean"
    case reduceMin = "ReduceMin", reduceProd = "ReduceProd", reverseSequence = "ReverseSequence", reduceSum = "ReduceSum", relu = "Relu",
        reshape = "Reshape", rnn = "RNN", scaler = "Scaler", selu = "Selu"
    case shape = "Shape", sigmoid = "Sigmoid", sign = "Sign", slice = "Slice", softmax = "Softmax", softplus = "Softplus"
    case softsign = "Softsign", split = "Split", sqrt = "Sqrt", squeeze = "Squeeze", sub = "Sub", sum = "Sum", swish = "Swish"
    case and = "And", less = "Less", loop = "Loop", normalizer = "Normalizer", treeEnsembleClassifier = "TreeEnsembleClassifier"
    case tanh = "Tanh", thresholdedRelu = "ThresholdedRelu", tile = "Tile", transpose = "Transpose", unsqueeze = "Unsqueeze"
    case `where` = "Where", zipMap = "ZipMap"
}

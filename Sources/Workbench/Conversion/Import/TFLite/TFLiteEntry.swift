internal import Support

/// How the floats at a file's input become its integers: by a QUANTIZE, behind factors of two's powers where ``TFLiteExport`` wrote them.
struct TFLiteEntry {
    /// The first tensor of integers.
    var tensor: Int
    /// Two to which power each number is multiplied with first; empty where none is.
    var exponents: [Int] = []
    /// Those that end in it.
    var operators: Set<Int>

    /// Nil where the network does not begin so.
    init?(_ file: TFLiteFile) throws(Fault) {
        guard file.tensors[file.inputs[0]].kind == .float32 else { return nil }
        func reader(of tensor: Int, named name: String) -> Int? {
            file.operators.firstIndex { $0.name == name && $0.inputs.first == tensor && ($0.outputs.first ?? -1) >= 0 }
        }
        var source = file.inputs[0], used: Set<Int> = []
        if reader(of: source, named: "QUANTIZE") == nil, let factor = reader(of: source, named: "MUL"), factor == 0,
            file.operators[factor].inputs.count == 2, file.operators[factor].inputs[1] >= 0,
            try file.operators[factor].options?.number(0, default: Int8(0)) ?? 0 == 0,
            file.operators.count(where: { $0.inputs.contains(file.operators[factor].outputs[0]) }) == 1,
            let exponents = try Self.exponents(file.tensors[file.operators[factor].inputs[1]], file)
        {
            (source, used) = (file.operators[factor].outputs[0], [factor])
            self.exponents = exponents.contains { $0 != 0 } ? exponents : []
        }
        guard let last = reader(of: source, named: "QUANTIZE") else { return nil }
        tensor = file.operators[last].outputs[0]
        operators = used.union([last])
    }

    private static func exponents(_ tensor: TFLiteFile.Tensor, _ file: TFLiteFile) throws(Fault) -> [Int]? {
        guard tensor.kind == .float32, !tensor.data.isEmpty, tensor.count == file.tensors[file.inputs[0]].count else { return nil }
        let factors = try file.floats(tensor)
        guard factors.allSatisfy({ $0.isNormal && $0 > 0 && $0.significand == 1 && (-64...64).contains($0.exponent) }) else { return nil }
        return factors.map { Int($0.exponent) }
    }
}

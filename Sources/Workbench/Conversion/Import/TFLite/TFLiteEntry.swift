internal import NeuralNetwork
internal import Support

/// How the floats at a file's input become its integers: by a QUANTIZE, behind offsets and factors of two's powers where ``TFLiteExport``
/// wrote them.
struct TFLiteEntry {
    /// The first tensor of integers.
    let tensor: Int
    /// Where each number has an offset or a factor of its own first.
    let steps: ColumnSteps?
    /// Those that end in it.
    let operators: Set<Int>

    /// Nil where the network does not begin so.
    init?(_ file: TFLiteFile) throws(Fault) {
        guard file.tensors[file.inputs[0]].kind == .float32 else { return nil }
        var source = file.inputs[0], used: Set<Int> = []
        var offsets: [Float]?, exponents: [Int]?
        if let (index, numbers) = try Self.constants("SUB", of: source, after: used.count, file), numbers.allSatisfy(\.isFinite) {
            offsets = numbers
            source = file.operators[index].outputs[0]
            used.insert(index)
        }
        if let (index, numbers) = try Self.constants("MUL", of: source, after: used.count, file),
            numbers.allSatisfy({ $0.isNormal && $0 > 0 && $0.significand == 1 && (-64...64).contains($0.exponent) })
        {
            exponents = numbers.map { Int($0.exponent) }
            source = file.operators[index].outputs[0]
            used.insert(index)
        }
        guard let last = Self.reader(of: source, named: "QUANTIZE", file) else { return nil }
        tensor = file.operators[last].outputs[0]
        operators = used.union([last])
        let found = ColumnSteps(
            exponents: exponents ?? [Int](repeating: 0, count: file.tensors[file.inputs[0]].count), offsets: offsets)
        steps = found.hasOffsets || found.exponents.contains { $0 != 0 } ? found : nil
    }

    private static func reader(of tensor: Int, named name: String, _ file: TFLiteFile) -> Int? {
        file.operators.firstIndex { $0.name == name && $0.inputs.first == tensor && ($0.outputs.first ?? -1) >= 0 }
    }

    /// What the operator of a name that alone reads a tensor has for each of the input's numbers.
    private static func constants(
        _ name: String, of source: Int, after count: Int, _ file: TFLiteFile
    ) throws(Fault) -> (index: Int, numbers: [Float])? {
        guard reader(of: source, named: "QUANTIZE", file) == nil, let index = reader(of: source, named: name, file), index == count else {
            return nil
        }
        let operation = file.operators[index]
        guard operation.inputs.count == 2, file.tensors.indices.contains(operation.inputs[1]),
            try operation.options?.number(0, default: Int8(0)) ?? 0 == 0,
            file.operators.count(where: { $0.inputs.contains(operation.outputs[0]) }) == 1
        else { return nil }
        let tensor = file.tensors[operation.inputs[1]]
        guard tensor.kind == .float32, !tensor.data.isEmpty, tensor.count == file.tensors[file.inputs[0]].count else { return nil }
        return (index, try file.floats(tensor))
    }
}

internal import Support

/// What becomes of rows before they are quantised, in a model file: offsets as `input.offsets` F32 [columns] beside the metadata's
/// `input_exponents`; a forest's thresholds as `input.thresholds` F32 [thresholds] and `input.starts` I32 [columns + 1], both or neither;
/// where the input has copies of columns, which each integer is of as `input.columns` I32 [inputs], beside the metadata's `input_width`.
enum InputScalingFile {
    private static let values = "input.thresholds", starts = "input.starts", offsets = "input.offsets", columns = "input.columns"

    static func add(_ scaling: InputScaling, to file: inout Safetensors) {
        if let steps = scaling.steps, steps.hasOffsets {
            file.tensors[offsets] = .init(steps.offsets, shape: [steps.offsets.count])
        }
        if let copies = scaling.steps?.copies { file.tensors[columns] = .init(copies.from, shape: [copies.from.count]) }
        if let thresholds = scaling.thresholds {
            file.tensors[values] = .init(thresholds.values, shape: [thresholds.values.count])
            file.tensors[starts] = .init(thresholds.starts, shape: [thresholds.starts.count])
        }
    }

    struct Tensors {
        var thresholds: (values: Safetensors.Tensor, starts: Safetensors.Tensor)?
        var offsets: Safetensors.Tensor?, columns: Safetensors.Tensor?
    }

    /// Takes them out of the file, where they are there.
    static func take(from file: inout Safetensors) -> Tensors {
        Tensors(
            thresholds: file.take([values, starts]).map { ($0[0], $0[1]) }, offsets: file.take([offsets])?[0],
            columns: file.take([columns])?[0])
    }

    /// Only files of version 3 have any of it, which earlier programs refuse.
    static func read(_ found: Tensors, of network: Network, _ reader: MetadataReader) throws(Fault) -> InputScaling {
        let exponents = try reader.inputExponents(), isScaled = exponents != nil || found.thresholds != nil
        guard isScaled == (try reader.text(MetadataReader.format) == MetadataReader.withScaling) else {
            let what = isScaled ? "it scales its input" : "it does not scale its input"
            throw reader.bad("its format is \"\(try reader.text(MetadataReader.format))\", and \(what)")
        }
        guard exponents != nil || found.offsets == nil && found.columns == nil else {
            throw reader.bad("it has offsets or columns of its input and no exponents")
        }
        guard isScaled else { return .none }
        let hasBoth = exponents != nil && found.thresholds != nil, columns = hasBoth ? network.inputs / 2 : network.inputs
        guard network.inputKind == .features, !hasBoth || network.inputs % 2 == 0 else {
            throw reader.bad("it scales an input that is not one of features, or not two of each")
        }
        guard found.columns == nil || found.thresholds == nil else { throw reader.bad("it has both copies and ranks of its input") }
        return InputScaling(
            steps: try steps(exponents, found, columns, reader),
            thresholds: try found.thresholds.map { tensors throws(Fault) in try thresholds(tensors, columns, reader) })
    }

    private static func steps(
        _ exponents: [Int]?, _ found: Tensors, _ count: Int, _ reader: MetadataReader
    ) throws(Fault) -> ColumnSteps? {
        guard let exponents else { return nil }
        guard exponents.count == count, exponents.allSatisfy((-64...64).contains) else {
            throw reader.bad("\"input_exponents\" are not \(count) numbers within -64 ... 64")
        }
        if let offsets = found.offsets {
            guard offsets.kind == .float32, offsets.shape == [count], offsets.float32.allSatisfy(\.isFinite) else {
                throw reader.bad("its offsets are not \(count) finite numbers")
            }
        }
        return ColumnSteps(exponents: exponents, offsets: found.offsets?.float32, copies: try copies(found.columns, count, reader))
    }

    private static func copies(
        _ columns: Safetensors.Tensor?, _ count: Int, _ reader: MetadataReader
    ) throws(Fault) -> ColumnCopies? {
        guard let columns else { return nil }
        let width = try reader.inputWidth()
        guard columns.kind == .int32, columns.shape == [count], columns.int32.allSatisfy({ (-1..<Int32(clamping: width)).contains($0) })
        else { throw reader.bad("its columns are not \(count) numbers within -1 ..< \(width)") }
        return ColumnCopies(columns: width, from: columns.int32)
    }

    private static func thresholds(
        _ found: (values: Safetensors.Tensor, starts: Safetensors.Tensor), _ columns: Int, _ reader: MetadataReader
    ) throws(Fault) -> ColumnThresholds {
        guard found.values.kind == .float32, found.values.shape.count == 1, found.starts.kind == .int32,
            found.starts.shape == [columns + 1],
            let thresholds = ColumnThresholds(values: found.values.float32, starts: found.starts.int32)
        else { throw reader.bad("its thresholds do not fit its inputs, or do not rise") }
        return thresholds
    }
}

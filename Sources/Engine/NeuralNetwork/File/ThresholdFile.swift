internal import Support

/// A forest's thresholds in a model file: `input.thresholds` F32 [thresholds] and `input.starts` I32 [inputs + 1]. Both are there or
/// neither.
enum ThresholdFile {
    private static let values = "input.thresholds", starts = "input.starts"

    static func add(_ thresholds: ColumnThresholds, to file: inout Safetensors) {
        file.tensors[values] = .init(thresholds.values, shape: [thresholds.values.count])
        file.tensors[starts] = .init(thresholds.starts, shape: [thresholds.starts.count])
    }

    /// Takes them out of the file, where both are there.
    static func take(from file: inout Safetensors) -> (values: Safetensors.Tensor, starts: Safetensors.Tensor)? {
        file.take([values, starts]).map { ($0[0], $0[1]) }
    }

    static func read(
        _ found: (values: Safetensors.Tensor, starts: Safetensors.Tensor), of network: Network, _ reader: MetadataReader
    ) throws(Fault) -> ColumnThresholds {
        guard found.values.kind == .float32, found.values.shape.count == 1, found.starts.kind == .int32,
            found.starts.shape == [network.inputs + 1], network.inputKind == .features,
            let thresholds = ColumnThresholds(values: found.values.float32, starts: found.starts.int32)
        else { throw reader.bad("its thresholds do not fit its inputs, or do not rise") }
        return thresholds
    }
}

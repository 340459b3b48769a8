internal import Support

/// A model file's examples of its classes: `exemplar.values` I8 or I16 [count, inputs of the last layer] and `exemplar.labels` I32
/// [count]. Both are there or neither.
enum ExemplarFile {
    private static let values = "exemplar.values", labels = "exemplar.labels"
    /// More than any training leaves.
    private static let most = 16_384

    static func add(_ exemplars: Exemplars, of network: Network, to file: inout Safetensors) {
        let width = exemplars.values.first?.count ?? 0, all = exemplars.values.flatMap { $0 }, shape = [exemplars.values.count, width]
        file.tensors[values] =
            network.lastSource.type == .int8 ? .init(all.map { Int8(clamping: $0) }, shape: shape) : .init(all, shape: shape)
        file.tensors[labels] = .init(exemplars.labels.map { Int32(clamping: $0) }, shape: [exemplars.labels.count])
    }

    /// Takes them out of the file, where both are there.
    static func take(from file: inout Safetensors) -> (values: Safetensors.Tensor, labels: Safetensors.Tensor)? {
        file.take([values, labels]).map { ($0[0], $0[1]) }
    }

    static func read(
        _ found: (values: Safetensors.Tensor, labels: Safetensors.Tensor), of network: Network, _ reader: MetadataReader
    ) throws(Fault) -> Exemplars {
        let source = network.lastSource, kind: Safetensors.Kind = source.type == .int8 ? .int8 : .int16
        guard found.values.kind == kind, found.values.shape.count == 2, found.values.shape[1] == source.count, found.labels.kind == .int32,
            found.labels.shape == [found.values.shape[0]]
        else {
            throw reader.bad("its exemplars do not fit its last layer")
        }
        guard found.labels.shape[0] <= most else { throw reader.bad("it has \(found.labels.shape[0]) exemplars; \(most) can be used") }
        let all = kind == .int8 ? found.values.int8.map { Int16($0) } : found.values.int16, labels = found.labels.int32.map { Int($0) }
        guard labels.allSatisfy(network.labels.indices.contains) else {
            throw reader.bad("an exemplar is of a class that it does not have")
        }
        return Exemplars(labels: labels, values: labels.indices.map { Array(all[$0 * source.count..<($0 + 1) * source.count]) })
    }
}

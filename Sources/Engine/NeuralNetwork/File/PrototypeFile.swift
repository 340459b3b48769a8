internal import Support

/// A model file's prototypes: `prototype.scale` I32 [width], `prototype.mean` and `prototype.precision` I16 [count, width],
/// `prototype.offset` I32 [count], `prototype.limit` I32 [1]. All are there or none.
enum PrototypeFile {
    private static let names = ["scale", "mean", "precision", "offset", "limit"].map { "prototype.\($0)" }

    static func add(_ prototypes: Prototypes, to file: inout Safetensors) {
        let width = prototypes.scales.count, count = prototypes.means.count
        file.tensors[names[0]] = .init(prototypes.scales, shape: [width])
        file.tensors[names[1]] = .init(prototypes.means.flatMap { $0 }, shape: [count, width])
        file.tensors[names[2]] = .init(prototypes.precisions.flatMap { $0 }, shape: [count, width])
        file.tensors[names[3]] = .init(prototypes.offsets, shape: [count])
        file.tensors[names[4]] = .init([prototypes.limit], shape: [1])
    }

    /// Takes them out of the file.
    static func take(from file: inout Safetensors) -> [Safetensors.Tensor]? { file.take(names) }

    static func read(_ found: [Safetensors.Tensor], of network: Network, _ reader: MetadataReader) throws(Fault) -> Prototypes {
        let width = network.lastSource.count, count = found[3].shape.first ?? 0
        guard found.map(\.kind) == [.int32, .int16, .int16, .int32, .int32], found[0].shape == [width], found[1].shape == [count, width],
            found[2].shape == [count, width], found[3].shape == [count], found[4].shape == [1], (1...Prototypes.most).contains(count),
            width <= Prototypes.widest
        else { throw reader.bad("its prototypes do not fit its last layer") }
        let precisions = found[2].int16, means = found[1].int16
        guard precisions.allSatisfy(Prototypes.precisionRange.contains), found[0].int32.allSatisfy({ $0 >= 0 }) else {
            throw reader.bad("a prototype's precision is out of its range")
        }
        func rows(_ values: [Int16]) -> [[Int16]] { (0..<count).map { Array(values[$0 * width..<($0 + 1) * width]) } }
        return Prototypes(
            scales: found[0].int32, means: rows(means), precisions: rows(precisions), offsets: found[3].int32,
            limit: found[4].int32.first ?? .max)
    }
}

public import Support

/// A network on disk: a safetensors file, format version 1.
///
/// Tensors, for each layer i from 0: `i.weight` I8 [outputs, inputs]; `i.bias` I32 [outputs]; `i.multiplier` I32 [outputs] and
/// `i.shift` I8 [outputs], which requantise the sums (``Multiplier``).
///
/// Metadata, all texts:
/// * `gaitway.format`: "1", the version of this description; other versions are refused.
/// * `gaitway.checksum`: eight hexadecimal digits, the CRC-32 of the whole file with these digits as zeros.
/// * `labels`: a JSON array of 1 to 64 different names, one for each output.
/// * `rate`: "50" (Hz); `window`, `hop`: samples; `input`: "raw", meaning `window` x 3 samples of filtered acceleration,
///   or "features", meaning numbers that somebody computed.
/// * `input_scale` (g, or a feature's unit, per step), `input_zero_point`, `input_multiplier`, `input_shift`: from Q3.12 g to the first layer's int8.
/// * `layers`: a JSON array with, for each layer, `activation` ("linear", "relu", "sigmoid"), `output_scale`, `output_zero_point`.
/// * `bits`: k of the weights, 2 ... 8: every weight lies within +-(2^(k-1) - 1).
/// * `version`: a whole number; `expires`: seconds since 1970, optional.
/// * `golden_input` (Q3.12), `golden_output` (int8), `golden_probabilities` (Q0.15): integers separated by blanks; the network
///   must give just these before it is used.
public enum NetworkFile {
    static let sizeLimit = 64 << 20

    /// Reads a network and proves it: checksum, sizes, shapes, labels, window, golden pair on this machine's own kernel.
    ///
    /// Errors: `.noInput`, `.permission`, `.badData` with what is wrong.
    public static func load(_ path: String) throws(Fault) -> Network {
        try decode(try Files.read(path, limit: sizeLimit), path: path)
    }

    /// Saves a network as a whole or not at all. It must have a golden pair.
    public static func save(_ network: Network, to path: String) throws(Fault) {
        try Files.write(try encode(network), to: path)
    }

    static let emptyChecksum = "00000000"

    static func decode(_ bytes: [UInt8], path: String) throws(Fault) -> Network {
        let file = try Safetensors(bytes, path: path)
        let reader = MetadataReader(metadata: file.metadata, path: path)
        try reader.require("gaitway.format", "1")
        let checksum = try reader.text("gaitway.checksum")
        guard checksum == Checksum.text(Checksum.crc32(try blanked(bytes, checksum, reader))) else {
            throw reader.bad("its checksum is wrong: some of its bytes have changed")
        }
        var network = try reader.network(try layers(file, reader))
        network.inputMultiplier = try reader.inputMultiplier()
        try NetworkCheck.check(network, reader)
        return network
    }

    static func encode(_ network: Network) throws(Fault) -> [UInt8] {
        var file = Safetensors()
        file.metadata = MetadataWriter.metadata(of: network)
        for (index, layer) in network.layers.enumerated() {
            file.tensors["\(index).weight"] = .init(layer.weights, shape: [layer.outputs, layer.inputs])
            file.tensors["\(index).bias"] = .init(layer.bias, shape: [layer.outputs])
            file.tensors["\(index).multiplier"] = .init(layer.multipliers.map(\.multiplier), shape: [layer.outputs])
            file.tensors["\(index).shift"] = .init(layer.multipliers.map { Int8(clamping: $0.shift) }, shape: [layer.outputs])
        }
        file.metadata["gaitway.checksum"] = emptyChecksum
        file.metadata["gaitway.checksum"] = Checksum.text(Checksum.crc32(file.encoded()))
        let bytes = file.encoded()
        _ = try decode(bytes, path: "the new model") // what would be refused is not written
        return bytes
    }

    // The file with its checksum's digits as zeros.
    private static func blanked(_ bytes: [UInt8], _ checksum: String, _ reader: MetadataReader) throws(Fault) -> [UInt8] {
        let key = Array("\"gaitway.checksum\":\"".utf8), digits = Array(checksum.utf8)
        guard digits.count == 8, let start = bytes.indices.first(where: { bytes[$0...].starts(with: key) }),
            bytes[(start + key.count)...].starts(with: digits)
        else { throw reader.bad("its checksum is not where it belongs") }
        var copy = bytes
        copy.replaceSubrange(start + key.count..<start + key.count + 8, with: Array(emptyChecksum.utf8))
        return copy
    }

    private static func layers(_ file: Safetensors, _ reader: MetadataReader) throws(Fault) -> [DenseLayer] {
        let descriptions = try reader.layers()
        guard file.tensors.count == descriptions.count * 4 else {
            throw reader.bad("\(descriptions.count) layers need \(descriptions.count * 4) tensors and there are \(file.tensors.count)")
        }
        func tensor(_ name: String, _ kind: Safetensors.Kind, rank: Int) throws(Fault) -> Safetensors.Tensor {
            guard let found = file.tensors[name] else { throw reader.bad("tensor \(name) is missing") }
            guard found.kind == kind, found.shape.count == rank else {
                throw reader.bad("tensor \(name) is \(found.kind.rawValue) \(found.shape), not \(kind.rawValue) of rank \(rank)")
            }
            return found
        }
        var layers: [DenseLayer] = []
        for (index, description) in descriptions.enumerated() {
            let weight = try tensor("\(index).weight", .int8, rank: 2)
            let bias = try tensor("\(index).bias", .int32, rank: 1)
            let multiplier = try tensor("\(index).multiplier", .int32, rank: 1)
            let shift = try tensor("\(index).shift", .int8, rank: 1)
            let (outputs, inputs) = (weight.shape[0], weight.shape[1])
            guard bias.shape == [outputs], multiplier.shape == [outputs], shift.shape == [outputs] else {
                throw reader.bad("layer \(index) has \(outputs) outputs, \(bias.shape[0]) biases, \(multiplier.shape[0]) multipliers and \(shift.shape[0]) shifts")
            }
            layers.append(
                DenseLayer(
                    inputs: inputs, outputs: outputs, weights: weight.int8, bias: bias.int32,
                    multipliers: zip(multiplier.int32, shift.int8).map { Multiplier(multiplier: $0, shift: Int32($1)) },
                    output: Quantisation(scale: description.outputScale, zeroPoint: description.outputZeroPoint), activation: description.activation))
        }
        return layers
    }
}

/// A layer's entry in the metadata.
struct LayerDescription: Codable {
    var activation: LayerActivation
    var outputScale: Double
    var outputZeroPoint: Int

    enum CodingKeys: String, CodingKey {
        case activation
        case outputScale = "output_scale"
        case outputZeroPoint = "output_zero_point"
    }
}

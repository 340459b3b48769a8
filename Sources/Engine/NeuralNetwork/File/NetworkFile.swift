package import Cryptography
package import Support

/// A network on disk: a safetensors file, format version 2 or 3.
///
/// Tensors, for each layer i from 0 that has weights: `i.weight` I8 or I16 [outputs, inputs]; `i.bias` [outputs], I32 beside int8
/// inputs and I64 beside int16, absent when zero; `i.multiplier` I32 [outputs] and `i.shift` I8 [outputs], which requantise the sums
/// (``Multiplier``). An LSTM or GRU has `i.recurrent_weight`, ... as well; a lookup has `i.table` I8 [256] or I16
/// [513], a constant I8 or I16 [elements]; a gather has `i.places` I32 [elements]; a forest `i.features` and `i.thresholds` I16
/// [nodes], `i.children` I32 [nodes], `i.roots` I32 [trees] and `i.values` I16 [leaves, classes]; support vectors have `i.vectors` I32
/// [vectors, inputs], `i.added` I64 [vectors], `i.coefficients` I32 [outputs, vectors], `i.bias` I64, `i.multiplier` I32 and `i.shift` I8
/// [outputs] (``SupportVectors``). `exemplar.values` and `exemplar.labels`: see ``Exemplars``; `prototype.scale`, `prototype.mean`,
/// `prototype.precision`, `prototype.offset` and `prototype.limit`: see ``Prototypes``; both optional.
/// `wearing.gait` and `wearing.placement` I8 [bytes]: of a model whose input is "worn", files of this form within this one.
/// `first.network` I8 [bytes] and `first.sure` I16 [1]: a small network that decides before this one, and from which probability on
/// (Q0.15); optional (``FirstNetwork``).
/// `input.thresholds` F32 [thresholds] and `input.starts` I32 [inputs + 1]: of a forest on "features", whose numbers become their ranks
/// among their column's thresholds first; optional, and only in version 3 (``InputScaling``).
///
/// Metadata, all texts:
/// * `gaitway.format`: "2", or "3" where the input is scaled, the version of this description; other versions are refused.
/// * `gaitway.checksum`: eight hexadecimal digits, the CRC-32 of the whole file with these digits as zeros.
/// * `labels`: a JSON array of 1 to 64 different names, one for each output.
/// * `rate`: "50" (Hz); `window`, `hop`: samples; `input`: "raw", meaning `window` x 3 samples of filtered acceleration,
///   "features-17", "features-80", "raw+features-17" or "worn" (``NetworkInput``), or "features", meaning numbers that somebody computed.
/// * `input_type` ("int8", "int16"), `input_shape` (height, width, channels), `input_scale` (g, or a feature's unit, per step),
///   `input_zero_point`, `input_multiplier`, `input_shift`: the input's integers, and how they come from Q3.12 g.
/// * `input_exponents`: two to which power each number of "features" is multiplied with first (integers, -64 ... 64, separated by blanks),
///   after what the tensor `input.offsets` has for it is subtracted; only in version 3, since programs of before would leave it out.
/// * `layers`: a JSON array with, for each layer, what ``LayerDescription`` names: `kind` (``Layer/kind``), `sources` (0 the input,
///   n the output of layer n - 1), `type`, `shape`, `scale`, `zero_point`, `limits` of its output, and its own numbers.
/// * `output`: "softmax", "independent" or "logits" (``NetworkOutput``); `state`: "kept" or "fresh" (``NetworkState``).
/// * `bits`: k of the weights, 2 ... 16: every weight lies within +-(2^(k-1) - 1).
/// * `trained_on`, `placements`: JSON arrays of whose recordings it was trained on ("set/person") and at which places of the body;
///   optional.
/// * `version`: a whole number; `expires`: seconds since 1970, optional.
/// * `golden_input` (Q3.12), `golden_output` (the last layer's integers), `golden_probabilities` (Q0.15): integers separated by
///   blanks; the network must give just these before it is used.
package enum NetworkFile {
    /// Bytes: what is longer is no model.
    package static let sizeLimit = 64 << 20
    /// Of one network (GW_LAYERS_MAX of the C part).
    package static let mostLayers = 256

    /// Reads a network and proves it: checksum, sizes, shapes, labels, window, golden pair on this machine's own kernel.
    ///
    /// - Throws: `.noInput`, `.permission`, `.badData` with what is wrong.
    package static func load(_ path: String) throws(Fault) -> Network { try load(path, trusting: nil) }

    /// The same of a model that a key's holder signed, beside which the signature lies (``ModelSignature/path(of:)``); it is proved before
    /// anything else of the file is looked at. Without a key any model will do.
    ///
    /// - Throws: also `.permission` without a signature, and for one of another key.
    package static func load(_ path: String, trusting key: VerifyingKey?) throws(Fault) -> Network {
        try read(
            try Files.read(path, limit: sizeLimit), name: path, signature: key == nil ? nil : try ModelSignature.read(beside: path),
            trusting: key)
    }

    /// The same of a file's bytes and its signature, where it has one.
    package static func read(_ bytes: [UInt8], name: String, signature: [UInt8]?, trusting key: VerifyingKey?) throws(Fault) -> Network {
        if let key {
            guard let signature else {
                throw Fault(
                    .permission, "\(name) is not signed, and this board trusts one key alone",
                    remedy: "Where the private key is kept, never here: gaitway model sign FILE --key KEY; then FILE.sig beside the model.")
            }
            try ModelSignature.verify(
                SignedContents(bytes, name: name.split(separator: "/").last.map(String.init) ?? name), signature, by: key)
        }
        return try decode(bytes, path: name)
    }

    /// The same of a file's bytes that came some other way.
    ///
    /// - Parameter name: for messages.
    package static func read(_ bytes: [UInt8], name: String) throws(Fault) -> Network { try decode(bytes, path: name) }

    /// Saves a network as a whole or not at all. It must have a golden pair.
    package static func save(_ network: Network, to path: String) throws(Fault) {
        try Files.write(try encode(network), to: path)
    }

    static let emptyChecksum = "00000000"

    package static func decode(_ bytes: [UInt8], path: String) throws(Fault) -> Network { try decode(bytes, path: path, isInner: false) }

    /// - Parameter isInner: of a file within another, which holds no third one.
    static func decode(_ bytes: [UInt8], path: String, isInner: Bool) throws(Fault) -> Network {
        var file = try Safetensors(bytes, path: path)
        let reader = MetadataReader(metadata: file.metadata, path: path)
        guard reader.metadata["gaitway.format"]?.hasPrefix("falls-") != true else {
            throw Fault(
                .badData, "\(path) is a falls model, not one of activities",
                remedy: "It runs beside one of activities: set falls.model to it.")
        }
        try reader.requireFormat()
        let checksum = try reader.text("gaitway.checksum")
        guard checksum == Checksum.text(Checksum.crc32(try blanked(bytes, checksum, reader))) else {
            throw reader.bad("its checksum is wrong: some of its bytes have changed")
        }
        let exemplars = ExemplarFile.take(from: &file), prototypes = PrototypeFile.take(from: &file),
            wearing = WearingFile.take(from: &file), first = FirstFile.take(from: &file), scaling = InputScalingFile.take(from: &file)
        var network = try reader.network(try layers(file, reader))
        network.inputMultiplier = try reader.inputMultiplier()
        network.inputScaling = try InputScalingFile.read(scaling, of: network, reader)
        if let exemplars { network.exemplars = try ExemplarFile.read(exemplars, of: network, reader) }
        if let prototypes { network.prototypes = try PrototypeFile.read(prototypes, of: network, reader) }
        if isInner, wearing != nil || first != nil { throw reader.bad("a network within a model has none of its own") }
        if let first { network.first = try FirstFile.read(first, of: network, reader) }
        network.wearing = try WearingFile.read(wearing, of: network, reader)
        try NetworkCheck.check(network, reader)
        return network
    }

    package static func encode(_ network: Network) throws(Fault) -> [UInt8] {
        var file = Safetensors()
        file.metadata = MetadataWriter.metadata(of: network)
        for (index, layer) in network.layers.enumerated() {
            LayerWriter.add(layer, index, input: network.tensor(layer.sources.first ?? 0).type, to: &file)
        }
        InputScalingFile.add(network.inputScaling, to: &file)
        if let exemplars = network.exemplars { ExemplarFile.add(exemplars, of: network, to: &file) }
        if let prototypes = network.prototypes { PrototypeFile.add(prototypes, to: &file) }
        if let wearing = network.wearing { try WearingFile.add(wearing, to: &file) }
        if let first = network.first { try FirstFile.add(first, to: &file) }
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

    private static func layers(_ file: Safetensors, _ reader: MetadataReader) throws(Fault) -> [Layer] {
        let descriptions = try reader.layers()
        guard (1...mostLayers).contains(descriptions.count) else {
            throw reader.bad("it has \(descriptions.count) layers; 1 to \(mostLayers) can be run")
        }
        var types = [try reader.inputType()], layers: [Layer] = [], used = 0
        for (index, description) in descriptions.enumerated() {
            guard (1...4).contains(description.sources.count), description.sources.allSatisfy(types.indices.contains) else {
                throw reader.bad("layer \(index) reads \(description.sources), which is not what comes before it")
            }
            var layer = LayerReader(file, reader, index, description, input: types[description.sources[0]])
            layers.append(try layer.layer())
            used += layer.used
            types.append(description.type)
        }
        guard used == file.tensors.count else {
            throw reader.bad("\(file.tensors.count) tensors are there and its layers have \(used)")
        }
        return layers
    }
}

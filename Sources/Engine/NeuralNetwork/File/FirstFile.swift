internal import Support

/// A model's network that decides before it: `first.network` I8 [bytes], a whole file in this same form, and `first.sure` I16 [1].
enum FirstFile {
    private static let network = "first.network", sure = "first.sure"

    static func add(_ first: FirstNetwork, to file: inout Safetensors) throws(Fault) {
        let bytes = try NetworkFile.encode(first.network)
        file.tensors[network] = .init(bytes.map { Int8(bitPattern: $0) }, shape: [bytes.count])
        file.tensors[sure] = .init([first.sure], shape: [1])
    }

    /// Takes them out of the file, where both are there.
    static func take(from file: inout Safetensors) -> (network: Safetensors.Tensor, sure: Safetensors.Tensor)? {
        file.take([network, sure]).map { ($0[0], $0[1]) }
    }

    static func read(
        _ found: (network: Safetensors.Tensor, sure: Safetensors.Tensor), of network: Network, _ reader: MetadataReader
    ) throws(Fault) -> FirstNetwork {
        guard found.network.kind == .int8, found.sure.kind == .int16, found.sure.shape == [1], let sure = found.sure.int16.first, sure > 0
        else { throw reader.bad("its network that decides first is not one, or lacks the probability from which on it decides") }
        let first = FirstNetwork(
            try NetworkFile.decode(found.network.bytes, path: "\(reader.path) (first)", isInner: true), sure: sure)
        if let objection = network.objection(to: first) { throw reader.bad(objection) }
        return first
    }
}

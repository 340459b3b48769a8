internal import Support

/// The networks of a model that tell how the sensor is worn: `wearing.gait` and `wearing.placement` I8 [bytes], each a whole file in this
/// same form.
enum WearingFile {
    private static let gait = "wearing.gait", placement = "wearing.placement"
    /// ``NetworkInput/countWearing`` before a forward direction was learnt.
    private static let earlierCount = 98

    static func add(_ wearing: WearingNetworks, to file: inout Safetensors) throws(Fault) {
        for (name, network) in [(gait, wearing.gait), (placement, wearing.placement)] {
            let bytes = try NetworkFile.encode(network)
            file.tensors[name] = .init(bytes.map { Int8(bitPattern: $0) }, shape: [bytes.count])
        }
    }

    /// Takes them out of the file, where both are there.
    static func take(from file: inout Safetensors) -> (gait: Safetensors.Tensor, placement: Safetensors.Tensor)? {
        file.take([gait, placement]).map { ($0[0], $0[1]) }
    }

    static func read(
        _ found: (gait: Safetensors.Tensor, placement: Safetensors.Tensor)?, of network: Network, _ reader: MetadataReader
    ) throws(Fault) -> WearingNetworks? {
        guard network.inputKind == .worn else {
            if found != nil { throw reader.bad("its input is not \"worn\", and it has networks for that") }
            return nil
        }
        guard let found, found.gait.kind == .int8, found.placement.kind == .int8 else {
            throw reader.bad("it lacks the networks that tell how the sensor is worn")
        }
        let gait = try NetworkFile.decode(found.gait.bytes, path: "\(reader.path) (gait)", isInner: true),
            placement = try NetworkFile.decode(found.placement.bytes, path: "\(reader.path) (placement)", isInner: true)
        guard gait.inputKind == .features, gait.inputs == NetworkInput.countGait, gait.outputs == 2 else {
            throw reader.bad("its network for walking does not take what a window makes, or has not two classes")
        }
        guard placement.inputs != Self.earlierCount else {
            throw Fault(
                .badData, "\(reader.path) was trained on the features of an earlier version of gaitway, which had no forward direction",
                remedy: "Take a model of this version, or train it anew.")
        }
        guard placement.inputKind == .features, placement.inputs == NetworkInput.countWearing,
            placement.outputs <= NetworkInput.mostPlacements
        else {
            throw reader.bad("its network for the place of the body does not take a wearer's profile, or has more than eight classes")
        }
        guard gait.inputScaling == .none, placement.inputScaling == .none else {
            throw reader.bad("its networks that tell how the sensor is worn scale their inputs, which are Q3.12")
        }
        return WearingNetworks(gait: gait, placement: placement)
    }
}

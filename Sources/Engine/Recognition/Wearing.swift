internal import CFeatures
internal import CRecognition
internal import NeuralNetwork
internal import Sensing
internal import Support

/// The two networks that tell how the sensor is worn, and what they have found so far, in memory of its own.
@safe struct Wearing: ~Copyable {
    let raw: UnsafeMutablePointer<gw_wearing>
    private let placements: [String]
    // The C side reads them as long as this lives.
    private let gait: CompiledNetwork
    private let placement: CompiledNetwork

    /// - Parameter labels: of the network that decides.
    /// - Throws: `.badData` when a network cannot be used.
    init(_ networks: WearingNetworks, labels: [String], kernel: String?) throws(Fault) {
        let gait = try CompiledNetwork(networks.gait, kernel: kernel), placement = try CompiledNetwork(networks.placement, kernel: kernel)
        let raw = UnsafeMutablePointer<gw_wearing>.allocate(capacity: 1)
        let walking = labels.firstIndex(of: "WALKING") ?? -1
        guard unsafe gw_wearing_init(raw, gait.network, placement.network, Int32(walking)) == GW_OK else {
            unsafe raw.deallocate()
            throw Fault(.badData, "the networks that tell how the sensor is worn do not take what windows make")
        }
        unsafe self.raw = raw
        self.gait = gait
        self.placement = placement
        placements = networks.placement.labels
    }

    deinit { unsafe raw.deallocate() }

    var orientation: Orientation { Orientation(unsafe raw.pointee.orientation) }

    func use(_ orientation: Orientation) {
        var learnt = orientation.raw
        unsafe gw_wearing_use(raw, &learnt)
    }

    /// Goes by what was configured until walking shows how the sensor is worn. A placement that the model does not know is found instead.
    func use(_ configured: ConfiguredWearing) {
        var frame = gw_frame()
        let place = configured.placement.flatMap { placements.firstIndex(of: $0) } ?? -1
        if let up = configured.up, unsafe gw_frame_along(&frame, up.number, configured.forward?.number ?? 0) == GW_OK {
            unsafe gw_wearing_configure(raw, &frame, Int32(place))
        } else {
            unsafe gw_wearing_configure(raw, nil, Int32(place))
        }
    }

    /// Where on the body, once it is known.
    var place: String? {
        let index = Int(unsafe raw.pointee.place)
        return placements.indices.contains(index) ? placements[index] : nil
    }
}

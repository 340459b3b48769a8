internal import CFeatures
internal import CRecognition
internal import NeuralNetwork
internal import Sensing
internal import Support

/// The two networks that tell how the sensor is worn, and what they have found so far, in memory of its own.
@safe struct Wearing: ~Copyable {
    let raw: UnsafeMutablePointer<gw_wearing>
    private let placements: [String]
    /// As ``placements``, but for two that are one place of the body, where the network knows both.
    private let found: [String]
    // A trouser pocket lies at the thigh: on people left out every third pocket was taken for a thigh.
    private static let joint = (parts: ["pocket", "thigh"], name: "pocket|thigh")
    private static let limbs = ["thigh", "wrist"]
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
        let both = Self.joint.parts.compactMap { networks.placement.labels.firstIndex(of: $0) }
        let isJoint = unsafe both.count == 2 && gw_wearing_join(raw, Int32(both[0]), Int32(both[1])) == GW_OK
        for limb in Self.limbs {
            if let index = placements.firstIndex(of: limb) { _ = unsafe gw_wearing_limb(raw, Int32(index)) }
        }
        found = placements.map { isJoint && Self.joint.parts.contains($0) ? Self.joint.name : $0 }
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

    /// Where on the body, once it is known; places that cannot be told apart have one name (`pocket|thigh`).
    var place: String? {
        let index = Int(unsafe raw.pointee.place)
        guard placements.indices.contains(index) else { return nil }
        return unsafe raw.pointee.configured_place < 0 ? found[index] : placements[index]
    }
}

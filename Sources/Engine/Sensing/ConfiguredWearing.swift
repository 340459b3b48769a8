/// How the sensor is worn as far as somebody has said so.
package struct ConfiguredWearing: Sendable, Equatable {
    /// A direction of the sensor, after IIO's mount matrix.
    package enum Axis: String, Sendable, CaseIterable {
        case x, y, z
        case minusX = "-x", minusY = "-y", minusZ = "-z"

        /// 1, 2, 3 for x, y, z; negative for the opposite direction.
        package var number: Int32 {
            switch self {
            case .x: 1
            case .y: 2
            case .z: 3
            case .minusX: -1
            case .minusY: -2
            case .minusZ: -3
            }
        }
    }

    /// Where the wearer's head is while he stands; nil where only walking can tell.
    package var up: Axis?
    /// Where the wearer's front is; nil for any direction at right angles to `up`.
    package var forward: Axis?
    /// The place of the body; nil where it is to be found.
    package var placement: String?

    package init(up: Axis? = nil, forward: Axis? = nil, placement: String? = nil) {
        (self.up, self.forward, self.placement) = (up, forward, placement)
    }
}

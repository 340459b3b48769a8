internal import CFeatures
internal import CRecognition
package import Support

/// How the sensor is worn, as a network on ``NetworkInput/worn`` has learnt it from its wearer's walking: to be kept over restarts.
package struct Orientation: Sendable, Equatable {
    /// As `gw_orientation_save` gives them.
    package var numbers: [Int64]

    package static let count = Int(GW_ORIENTATION_NUMBERS)

    /// - Throws: `.badData` for numbers that nobody can have learnt.
    package init(_ numbers: [Int64]) throws(Fault) {
        var raw = gw_orientation()
        guard numbers.count == Self.count, unsafe gw_orientation_restore(&raw, numbers) == GW_OK else {
            throw Fault(.badData, "what was kept of how the sensor is worn is damaged", remedy: "It is learnt anew from walking.")
        }
        self.numbers = numbers
    }

    /// Whether it rests on enough walking to tell which way is up.
    package var isKnown: Bool {
        var raw = raw
        return unsafe gw_orientation_known(&raw)
    }

    /// Nothing is learnt.
    package static let none = Orientation(gw_orientation())

    /// Windows of walking that the direction rests on, at most 64.
    package var windows: Int { Int(raw.windows) }

    /// Where +1 g is shown while the wearer walks, on x, y and z; zeros where nothing is learnt.
    package var up: [Double] {
        let up = raw.frame.up
        return [up.0, up.1, up.2].map { Double($0) * 0x1p-14 }
    }

    init(_ raw: gw_orientation) {
        var raw = raw
        numbers = [Int64](repeating: 0, count: Self.count)
        unsafe gw_orientation_save(&raw, &numbers)
    }

    var raw: gw_orientation {
        var raw = gw_orientation()
        _ = unsafe gw_orientation_restore(&raw, numbers)
        return raw
    }
}

/// How it is known which way is up.
package enum KnownBy: String, Sendable {
    /// It is not: walking is all that can be told.
    case unknown
    /// By the settings, or by a source that knows how it is worn.
    case configured
    /// From the wearer's walking.
    case learnt

    init(_ raw: gw_oriented) {
        switch raw {
        case GW_ORIENTED_CONFIGURED: self = .configured
        case GW_ORIENTED_LEARNT: self = .learnt
        default: self = .unknown
        }
    }
}

internal import CFeatures
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

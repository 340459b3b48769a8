internal import Support

/// Finds recordings whose scale is wrong at rest, and sets of which nearly all are so: there the scale is the set's.
package struct SetScales {
    private var resting: [String: [RestCheck.AtRest]] = [:]
    // |g| at rest where it is far from 1 g, in the order in which they came.
    private var wearings: [(set: String, name: String, g: Double)] = []

    /// Still seconds of a recording that count beside others of its set, and of how many of these.
    private static let moment = 2, ofSet = 0.8
    /// What to do about a wrong scale, for messages.
    package static let remedy = "check counts_per_g in set.csv, and that all three axes are there"

    /// What a user should read of ``misscaled``; nil where nothing is.
    package static func warning(_ misscaled: [String]) -> String? {
        misscaled.firstAndCount.map { "at rest a sensor measures 1 g, not \($0): \(remedy)" }
    }

    package init() {}

    package mutating func take(_ stream: LabelledStream, of set: String) {
        guard let rest = RestCheck.atRest(stream.pieces.map(\.samples), rate: stream.rate, fewest: Self.moment) else { return }
        resting[set, default: []].append(rest)
        let name = stream.wearing(in: set)
        guard rest.isLong, let g = rest.suspicious, !wearings.contains(where: { $0.name == name }) else { return }
        wearings.append((set, name, g))
    }

    /// |g| at rest of the recordings of each set whose scale is wrong, in their middle.
    package var wrong: [String: Double] {
        resting.compactMapValues { recordings in
            let wrong = recordings.compactMap(\.suspicious).sorted()
            return wrong.count >= 2 && Double(wrong.count) >= Self.ofSet * Double(recordings.count) ? wrong[wrong.count / 2] : nil
        }
    }

    /// Those sets, and who of other sets measures not 1 g, for messages.
    package var misscaled: [String] {
        let sets = wrong
        return Self.texts(sets) + wearings.filter { sets[$0.set] == nil }.map { "\($0.name) (\(RestCheck.text($0.g)) at rest)" }
    }

    package static func texts(_ sets: [String: Double]) -> [String] {
        sets.sorted { $0.key < $1.key }.map { "all of \($0.key) (\(RestCheck.text($0.value)) at rest)" }
    }
}

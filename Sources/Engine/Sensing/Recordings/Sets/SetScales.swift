/// Finds recording sets of which nearly every recording that rests for a moment has a wrong scale: the scale is the set's.
package struct SetScales {
    private var resting: [String: [RestCheck.AtRest]] = [:]

    /// Still seconds of a recording that count beside others of its set, and of how many of these.
    private static let moment = 2, ofSet = 0.8

    package init() {}

    package mutating func take(_ stream: LabelledStream, of set: String) {
        guard let rest = RestCheck.atRest(stream.pieces.map(\.samples), rate: stream.rate, fewest: Self.moment) else { return }
        resting[set, default: []].append(rest)
    }

    /// |g| at rest of the recordings of each such set, in their middle.
    package var wrong: [String: Double] {
        resting.compactMapValues { recordings in
            let wrong = recordings.compactMap(\.suspicious).sorted()
            return wrong.count >= 2 && Double(wrong.count) >= Self.ofSet * Double(recordings.count) ? wrong[wrong.count / 2] : nil
        }
    }

    /// What to do about a wrong scale, for messages.
    package static let remedy = "check counts_per_g in set.csv, and that all three axes are there"

    /// What a user should read of them.
    package static func texts(_ wrong: [String: Double]) -> [String] {
        wrong.sorted { $0.key < $1.key }.map { "all of \($0.key) (\(RestCheck.text($0.value)) at rest)" }
    }
}

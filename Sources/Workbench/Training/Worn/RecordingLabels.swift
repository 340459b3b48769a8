internal import Sensing

/// The classes of some recordings.
struct RecordingLabels {
    /// What counts for nobody, and what is none of the labels.
    static let nothing = -1, foreign = -2

    private(set) var labels: [String]
    /// Joint classes by placement: there, their parts cannot be told apart.
    private var joint: [String: [[String]]] = [:]

    private static let order = [
        "WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING", "RUNNING", "CYCLING",
    ]

    // Who goes up and down does so one after the other: a stretch of both is no class of its own, and nothing to learn from.
    private static let alternating: Set = ["WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS"]
    // An event of a moment.
    static let events: Set = ["FALL"]

    /// Activities that are to be none of the labels.
    private let without: Set<String>

    private func isClass(_ labels: [String]) -> Bool {
        !labels.isEmpty && isWanted(labels) && Self.events.isDisjoint(with: labels)
            && (labels.count == 1 || !Self.alternating.isSuperset(of: labels))
    }

    private func isWanted(_ labels: [String]) -> Bool { without.isDisjoint(with: labels) }

    /// - Parameter without: activities that count as none of the labels.
    init(_ streams: [LabelledStream], without: Set<String> = []) {
        labels = []
        self.without = without
        for stream in streams {
            for labels in stream.pieces.flatMap(\.stretches).compactMap(\.labels)
            where labels.count > 1 && isClass(labels) && joint[stream.placement]?.contains(labels) != true {
                joint[stream.placement, default: []].append(labels)
            }
        }
        var found: Set<String> = []
        for stream in streams {
            for stretch in stream.pieces.flatMap(\.stretches) {
                if let labels = stretch.labels, isClass(labels) { found.insert(name(labels, at: stream.placement)) }
            }
        }
        labels = Self.order.filter { found.contains($0) } + found.subtracting(Self.order).sorted()
    }

    private func name(_ labels: [String], at placement: String) -> String {
        let wider = joint[placement]?.first { Set(labels).isSubset(of: $0) }
        return (wider ?? labels).joined(separator: "|")
    }

    func index(of names: [String]?, at placement: String) -> Int {
        guard let names else { return Self.nothing }
        return names.isEmpty || !isWanted(names) ? Self.foreign : labels.firstIndex(of: name(names, at: placement)) ?? Self.nothing
    }
}

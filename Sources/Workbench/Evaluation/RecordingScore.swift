internal import Sensing

/// How well a network does on labelled recordings.
package struct RecordingScore: Sendable {
    /// Windows that lie inside one labelled stretch; truths are the recordings' labels, decisions the network's. A label that stands for
    /// several activities (`SITTING|LAYING`) is right where it shares one with the truth.
    package var windows: ConfusionMatrix
    /// Stretches of one activity, after smoothing.
    package var events = EventScore()
    /// Right windows and all, by person, placement and recording set.
    package var people: [Share] = []
    package var placements: [Share] = []
    package var sets: [Share] = []
    /// Windows in which the network did not know yet which way is up; nil where it needs not know.
    package var unoriented: Share?
    /// Wearings in which the place of the body was found; nil where the network does not look for it.
    package var placed: Share?
    /// Windows of activities that the network does not know; right where `unknown` was shown.
    package var foreign = Share(name: "unknown")

    /// People whose recordings the network was trained on: what they show says nothing about anybody else.
    package var trainedOn: [String] = []

    /// A part of a whole.
    package struct Share: Sendable, Equatable {
        package var name: String
        package var right = 0, all = 0

        package init(name: String) { self.name = name }

        /// 0 ... 1; 0 of nothing.
        package var share: Double { all == 0 ? 0 : Double(right) / Double(all) }
    }

    init(labels: [String]) { windows = ConfusionMatrix(labels: labels) }

    /// Whether two labels share an activity.
    static func agree(_ one: String, _ other: String) -> Bool {
        one == other || one.contains("|") || other.contains("|")
            ? !Set(one.split(separator: "|")).isDisjoint(with: other.split(separator: "|")) : false
    }

    mutating func count(truth: Int, decided: Int, _ stream: LabelledStream, of set: String) {
        let isRight = Self.agree(windows.labels[truth], windows.labels[decided])
        windows.count(truth: truth, decided: isRight ? truth : decided)
        Self.count(isRight, stream.person, in: &people)
        Self.count(isRight, stream.placement, in: &placements)
        Self.count(isRight, set, in: &sets)
    }

    private static func count(_ isRight: Bool, _ name: String, in shares: inout [Share]) {
        let index = shares.firstIndex { $0.name == name } ?? shares.endIndex
        if index == shares.endIndex { shares.append(Share(name: name)) }
        shares[index].all += 1
        shares[index].right += isRight ? 1 : 0
    }
}

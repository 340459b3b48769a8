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
    /// As `windows`, by placement.
    package var byPlacement: [(placement: String, windows: ConfusionMatrix)] = []
    /// How far confidences can be relied on.
    package var reliability = Reliability()
    /// Every unbroken recording.
    package var timelines: [Evaluation.Played] = []
    /// Windows in which the network did not know yet which way is up; nil where it needs not know.
    package var unoriented: Share?
    /// Windows about which a model's own network was asked, since its first one was not sure; nil where it has no first one.
    package var asked: Share?
    /// Wearings in which the place of the body was found from half a minute of walking; nil where the network does not look for it.
    package var placed: Share?
    /// Recordings by the place where the sensor was and the one that was found.
    package var places: [String: [String: Int]] = [:]
    /// Windows of activities that the network does not know; right where `unknown` was shown.
    package var foreign = Share(name: "unknown")
    /// How well those could be told from the others; nil without such windows.
    package var detection: Detection? { distances.foreign.isEmpty ? nil : distances }
    var distances = Detection()

    /// People whose recordings the network was trained on: what they show says nothing about anybody else.
    package var trainedOn: [String] = []
    /// Who does not measure 1 g at rest, for messages: such a recording's scale is wrong.
    package var misscaled: [String] = []

    /// A part of a whole.
    package struct Share: Sendable, Equatable {
        package var name: String
        package var right = 0, all = 0

        package init(name: String) { self.name = name }

        mutating func take(_ isRight: Bool) {
            all += 1
            right += isRight ? 1 : 0
        }

        /// 0 ... 1; 0 of nothing.
        package var share: Double { all == 0 ? 0 : Double(right) / Double(all) }
    }

    init(labels: [String]) { windows = ConfusionMatrix(labels: labels) }

    /// Whether two labels share an activity, or two names of places a place.
    static func agree(_ one: String, _ other: String) -> Bool {
        one == other || one.contains("|") || other.contains("|")
            ? !Set(one.split(separator: "|")).isDisjoint(with: other.split(separator: "|")) : false
    }

    mutating func count(truth: Int, decided: Int, _ stream: LabelledStream, of set: String) {
        windows.count(truth: truth, decided: decided)
        Self.count(truth == decided, stream.person, in: &people)
        Self.count(truth == decided, stream.placement, in: &placements)
        Self.count(truth == decided, set, in: &sets)
        let index = byPlacement.firstIndex { $0.placement == stream.placement } ?? byPlacement.endIndex
        if index == byPlacement.endIndex { byPlacement.append((stream.placement, ConfusionMatrix(labels: windows.labels))) }
        byPlacement[index].windows.count(truth: truth, decided: decided)
    }

    private static func count(_ isRight: Bool, _ name: String, in shares: inout [Share]) {
        let index = shares.firstIndex { $0.name == name } ?? shares.endIndex
        if index == shares.endIndex { shares.append(Share(name: name)) }
        shares[index].take(isRight)
    }
}

internal import NeuralNetwork
internal import Recognition
internal import Sensing
package import Support

/// Several people's recordings as rows of features in each wearer's own directions (``NetworkInput/worn``).
package struct WornSet: Sendable {
    /// Which recordings of a directory.
    package struct Selection: Sendable {
        package var directories: [String]
        /// Only these; all where none are named.
        package var placements: Set<String> = [], people: Set<String> = []
        /// But not these.
        package var leftOut: Set<String> = []
        /// Activities that the network is not to know.
        package var without: Set<String> = []

        package init(directories: [String]) { self.directories = directories }
    }

    /// Windows a hop apart without a gap.
    struct Sequence: Sendable {
        /// Index in `wearings`.
        var wearing: Int
        /// [windows][NetworkInput.countWearing], Q3.12.
        var features: [Int16]
        /// Class of each window; ``RecordingLabels/nothing`` or ``RecordingLabels/foreign``.
        var classes: [Int]
        /// Of each window, whether its activity lasts all of it; else it has begun within its first half.
        var isWhole: [Bool] = []
        /// Whether it shows one activity alone, not a person going from one to the next.
        var isSingle: Bool
        /// Whether forward or ahead is another direction than the wearer's walking shows.
        var isMistaken = false
    }

    /// One person with the sensor at one place.
    struct Wearing: Sendable {
        /// Of recordings.
        var set: String
        var person: String
        var placement: String
    }

    package static let window = 128, hop = 64
    /// Of the recordings' rate.
    private static let paces = [1, 0.9, 1.1]
    /// Windows, less one, in which the sensor is shaken, of each recording and pace.
    private static let shakes = 15
    /// Share of the sequences in which the forward direction is any.
    private static let mistaken = 0.25
    /// And in which the direction ahead is; how an arm swings does not tell it for everybody.
    private static func mistakenAhead(_ placement: String) -> Double { placement == "wrist" ? 0.5 : 0.17 }
    /// Orders of activities made of each recording that goes from one to the next.
    private static let lives: UInt64 = 6

    package private(set) var labels: [String] = []
    package private(set) var placements: [String] = []
    /// As "set/person".
    package let people: [String]
    private(set) var sequences: [Sequence] = []
    private(set) var wearings: [Wearing] = []
    /// Recordings and stretches that nothing is learnt from, since their scale cannot be right.
    package private(set) var misscaled: [String] = []
    /// Activities of which nothing is left without these, or beside those that the network is not to know.
    package private(set) var lost: [String] = []
    /// Features of windows in which a sensor is shaken.
    private(set) var shaken: [[Int16]] = []

    /// Reads and filters recordings. Those of people without a window of walking are left out: nothing tells how they wore the sensor.
    ///
    /// - Parameter progress: is told how many of all recordings are read.
    /// - Throws: those of ``RecordingSet``; `.usage` when nobody is left; `.badData` when no walking is labelled.
    package init(_ selection: Selection, progress: (Int, Int) -> Void = { _, _ in }) throws(Fault) {
        // A joint class is its activities.
        let without = Set(selection.without.flatMap { $0.split(separator: "|").map(String.init) })
        guard !without.contains(Self.walking) else {
            throw Fault(.usage, "without \(Self.walking) nothing tells how the sensor is worn")
        }
        let sets = try RecordingSet.all(selection.directories)
        var read: [(set: String, stream: LabelledStream)] = []
        for (set, entry) in try RecordingSet.entries(
            of: sets, people: selection.people, leavingOut: selection.leftOut, placements: selection.placements)
        {
            read.append((set.name, try set.stream(of: entry)))
        }
        guard !read.isEmpty else { throw Fault(.usage, "at least one subject must be left to train on") }
        let check = ScaleCheck(read)
        (misscaled, lost) = (check.misscaled, check.lost)
        let streams = check.right.map(\.stream)
        people = Set(check.right.map { "\($0.set)/\($0.stream.person)" }).sorted()
        let shown = Set(streams.flatMap(\.labels))
        if let unknown = without.subtracting(shown).min() {
            throw Fault(
                .usage, "there is no activity \(unknown) to leave out", remedy: "There are: \(shown.sorted().joined(separator: ", ")).")
        }
        let names = RecordingLabels(streams, without: without)
        labels = names.labels
        let learnt = Set(labels.flatMap { $0.split(separator: "|").map(String.init) })
        lost = Set(lost).union(shown.subtracting(learnt).subtracting(without).subtracting(RecordingLabels.events)).sorted()
        if let wrong = labels.first(where: { !Printable.isName($0) }) {
            throw Fault(.badData, "a model cannot call an activity \"\(wrong)\"", remedy: "Give it 64 bytes at most in labels.csv.")
        }
        for (index, (set, stream)) in check.right.enumerated() {
            progress(index, streams.count)
            try add(stream, of: set, names)
        }
        guard !sequences.isEmpty else {
            guard misscaled.isEmpty else {
                throw Fault(
                    .badData, "nothing is left to learn from: the scale of \(misscaled[0]) cannot be right",
                    remedy: "Check counts_per_g in set.csv.")
            }
            throw Fault(
                .badData, "nobody walks in these recordings: it is not known which way is up", remedy: "Label some walking as WALKING.")
        }
        placements = Set(wearings.map(\.placement)).sorted()
        guard placements.count <= NetworkInput.mostPlacements else {
            throw Fault(
                .badData,
                "\(placements.count) places of the body are more than the \(NetworkInput.mostPlacements) that a model can tell apart",
                remedy: "Choose some with --placement.")
        }
    }

    private mutating func add(_ stream: LabelledStream, of set: String, _ names: RecordingLabels) throws(Fault) {
        let first = wearings.count
        for pace in Self.paces {
            let usable = SamplingRates.usable, rate = min(usable.upperBound, max(usable.lowerBound, Int(Double(stream.rate) * pace)))
            try add(stream, of: set, rate: rate, wearing: first, names)
        }
    }

    // At another rate people are slower or faster than they were.
    private mutating func add(
        _ stream: LabelledStream, of set: String, rate: Int, wearing: Int, _ names: RecordingLabels
    ) throws(Fault) {
        var filtered: [(samples: [Int16], stretches: [LabelledStream.Stretch])] = []
        for piece in stream.pieces {
            filtered.append((try FrontEnd.filtered(piece.samples, rate: rate), piece.stretches))
        }
        var walking: [[Int16]] = []
        for piece in filtered {
            for stretch in piece.stretches where stretch.labels == [Self.walking] {
                walking += Self.windows(piece.samples, in: stretch.range.at50Hz(rate))
            }
        }
        guard !walking.isEmpty else { return }
        var random = RandomNumbers(seed: UInt64(sequences.count))
        if wearings.count == wearing { wearings.append(Wearing(set: set, person: stream.person, placement: stream.placement)) }
        var observer = Self.mistaken(Self.observer(walking, &random), stream.placement, &random)
        for piece in filtered {
            append(piece.samples, piece.stretches, stream.placement, rate, wearing, names, &observer)
            observer = Self.mistaken(Self.observer(walking, &random), stream.placement, &random)
        }
        appendShaken(wearing, &observer)
        guard stream.pieces.count == 1 else { return }
        for seed in 0..<Self.lives {
            guard let life = LifeStream.chained(stream, seed: seed) else { break }
            for piece in life.pieces {
                append(try FrontEnd.filtered(piece.samples, rate: rate), piece.stretches, stream.placement, rate, wearing, names, &observer)
                observer = Self.mistaken(Self.observer(walking, &random), stream.placement, &random)
            }
        }
    }

    /// The label from which a sensor learns how it is worn. Nobody is as upright on stairs.
    static let walking = "WALKING"

    // One that has seen some of a wearer's walking: each time a little different, as in life.
    private static func observer(_ walking: [[Int16]], _ random: inout RandomNumbers) -> WearingObserver {
        var observer = WearingObserver()
        let count = min(walking.count, 8 + random.below(40))
        for _ in 0..<count { observer.learn(walking[random.below(walking.count)]) }
        return observer
    }

    private static func anyTurn(_ random: inout RandomNumbers) -> (cosine: Double, sine: Double) {
        let turn = random.unit(), sine = Cosine.ofHalfTurn((turn - 0.5).magnitude)
        return (Cosine.ofHalfTurn(turn), random.unit() < 0.5 ? -sine : sine)
    }

    // Now and then one that takes another direction for forward or ahead.
    private static func mistaken(
        _ observer: WearingObserver, _ placement: String, _ random: inout RandomNumbers
    ) -> WearingObserver {
        var observer = observer
        if random.unit() < mistaken {
            let (cosine, sine) = anyTurn(&random)
            observer.mistakeForward(cosine: cosine, sine: sine)
        }
        if random.unit() < mistakenAhead(placement) {
            let (cosine, sine) = anyTurn(&random)
            observer.mistakeAhead(cosine: cosine, sine: sine)
        }
        return observer
    }

    private mutating func append(
        _ samples: [Int16], _ stretches: [LabelledStream.Stretch], _ placement: String, _ rate: Int, _ wearing: Int,
        _ names: RecordingLabels, _ observer: inout WearingObserver
    ) {
        let windows = Self.windows(samples, in: 0..<samples.count / 3)
        guard !windows.isEmpty else { return }
        let ranges = stretches.map { ($0.range.at50Hz(rate), names.index(of: $0.labels, at: placement)) }
        var sequence = Sequence(
            wearing: wearing, features: [], classes: [], isSingle: stretches.count == 1, isMistaken: observer.isMistaken)
        let tilts = labels.map { PostureTilt.most($0, at: placement) }
        var tilt = PostureTilt(seed: UInt64(sequences.count))
        for (index, window) in windows.enumerated() {
            let first = index * Self.hop
            // What begins is to be told once half the window shows it. The filter's last sample is missing, and a resampled row may end a
            // sample early.
            let inside = ranges.first { $0.0.lowerBound <= first + Self.window / 2 && $0.0.upperBound + 1 >= first + Self.window }
            let isWhole = inside.map { $0.0.lowerBound <= first } ?? false, label = inside?.1 ?? RecordingLabels.nothing
            let most = isWhole && label >= 0 ? tilts[label] : 0
            sequence.features += observer.features(most > 0 ? tilt.turned(window, most: most) : window)
            sequence.classes.append(label)
            sequence.isWhole.append(isWhole)
        }
        sequences.append(sequence)
    }

    // What nobody does who wears it.
    private mutating func appendShaken(_ wearing: Int, _ observer: inout WearingObserver) {
        var random = RandomNumbers(seed: UInt64(shaken.count))
        let samples = OutlierWindows.shaken(samples: Self.window + Self.shakes * Self.hop, &random)
        shaken += Self.windows(samples, in: 0..<samples.count / 3).map { observer.features($0) }
    }

    private static func windows(_ samples: [Int16], in range: Range<Int>) -> [[Int16]] {
        let range = range.clamped(to: 0..<samples.count / 3)
        return stride(from: range.lowerBound, through: range.upperBound - window, by: hop).map {
            Array(samples[$0 * 3..<($0 + window) * 3])
        }
    }
}

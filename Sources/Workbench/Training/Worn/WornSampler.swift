internal import NeuralNetwork
internal import Support

/// Draws sequences of windows: parts of recordings, or parts of one person's activities one behind the other. Most are drawn anew for every
/// batch; some go on for long, so that the memory learns what an hour of one posture is.
struct WornSampler {
    /// Sequences of a batch, windows of each.
    let batch = 48, steps = 32
    /// Standard deviation of what is added to each normalised feature.
    private let noise: Float = 0.1
    /// At one place of the body, about.
    private let activities = 7.0
    /// In this share of the sequences it is not known where on the body the sensor is.
    private let unplaced = 0.1
    /// Of recordings of one activity each, this share is chained.
    private let chained = 0.8
    /// The same of recordings that go from one activity to the next, without the transitions then: a network that relies on those calls it
    /// standing for minutes where it missed how somebody sat down.
    private let spliced = 0.15
    private let longest = 40, shortest = 4
    /// This share of a batch's sequences goes on in the next batch, but for one in twenty.
    private let carried = 0.2, renewed = 0.05
    /// Of their parts this share is made longer than it was recorded, up to so many windows: forth and back.
    private let prolonged = 0.2, mostProlonged = 2000.0

    private let set: WornSet
    private let use: [Int]
    /// Sums of the sequences' weights, for drawing.
    private var sums: [Double] = []
    /// Of each wearing.
    private var byWearing: [[Part]]
    /// Of the latest batch; nil: it has come to its end.
    private var streams: [Stream?]

    /// Windows of one activity.
    private struct Part {
        var sequence: Int
        var windows: Range<Int>
    }

    private struct Stream {
        var sequence: WornSet.Sequence
        var place: [Int16]
        var isChained: Bool
        var isCarried: Bool
        /// Windows of the sequence that come next.
        var left: ArraySlice<Int>
    }

    init(_ set: WornSet) {
        self.set = set
        streams = [Stream?](repeating: nil, count: batch)
        use = set.sequences.indices.filter { set.sequences[$0].classes.contains { $0 >= 0 } }
        byWearing = [[Part]](repeating: [], count: set.wearings.count)
        var places: [String: Int] = [:], classes: [Kind: Int] = [:]
        let kinds = use.map { Self.kind(of: set.sequences[$0], in: set) }
        for (index, kind) in zip(use, kinds) {
            let sequence = set.sequences[index]
            places[kind.placement, default: 0] += sequence.classes.count
            classes[kind, default: 0] += sequence.classes.count
            byWearing[sequence.wearing] += Self.parts(of: sequence).map { Part(sequence: index, windows: $0) }
        }
        // Places of the body, and activities there, with few recordings more often, but not as often as the others.
        var sum = 0.0
        for (index, kind) in zip(use, kinds) {
            let ofPlace = Double(places[kind.placement] ?? 1)
            let ofClass = kind.label == nil ? ofPlace : Double(classes[kind] ?? 1) * activities
            sum += Double(set.sequences[index].classes.count) / ofClass.squareRoot()
            sums.append(sum)
        }
    }

    // The whole of a recording of one activity; of others where each activity is.
    private static func parts(of sequence: WornSet.Sequence) -> [Range<Int>] {
        if sequence.isSingle { return [sequence.classes.indices] }
        var parts: [Range<Int>] = [], first = 0
        let classes = sequence.classes
        for window in 1...classes.count where window == classes.count || classes[window] != classes[first] {
            if classes[first] >= 0 { parts.append(first..<window) }
            first = window
        }
        return parts
    }

    // What a recording of one activity shows; of one that goes from one to the next, its place alone.
    private struct Kind: Hashable {
        var placement: String
        var label: Int?
    }

    private static func kind(of sequence: WornSet.Sequence, in set: WornSet) -> Kind {
        Kind(
            placement: set.wearings[sequence.wearing].placement,
            label: sequence.isSingle ? sequence.classes.first { $0 >= 0 } : nil)
    }

    /// Windows of all sequences.
    var windows: Int { use.reduce(0) { $0 + set.sequences[$1].classes.count } }

    /// The next batch, and which of its sequences begin; the windows of a step lie together. What is missing at a sequence's end has no
    /// label.
    mutating func next(_ network: WornNetwork, _ random: inout RandomNumbers) -> (inputs: Matrix, labels: [Int], begins: [Bool]) {
        let width = NetworkInput.countWearing
        var inputs = Matrix(batch * steps, width + NetworkInput.mostPlacements),
            labels = [Int](repeating: RecurrentHead.Targets.nothing, count: batch * steps), begins = [Bool](repeating: false, count: batch)
        for index in 0..<batch {
            let isCarried = Double(index) < (carried * Double(batch)).rounded(.down)
            var current = streams[index]
            if current == nil || random.unit() < (isCarried ? renewed : 1) { (current, begins[index]) = (stream(isCarried, &random), true) }
            guard var stream = current else { continue }
            var step = 0
            while step < steps, prepare(&stream, &random) {
                let row = step * batch + index, window = stream.left.removeFirst(), sequence = stream.sequence
                network.fill(&inputs, row, 0, sequence.features[window * width..<(window + 1) * width])
                network.fill(&inputs, row, width, stream.place[...])
                for column in 0..<width { inputs[row, column] += noise * quick(&random) }
                labels[row] = sequence.classes[window] >= 0 ? sequence.classes[window] : RecurrentHead.Targets.nothing
                step += 1
            }
            streams[index] = step < steps ? nil : stream
        }
        return (inputs, labels, begins)
    }

    private func stream(_ isCarried: Bool, _ random: inout RandomNumbers) -> Stream {
        var sequence = any(&random)
        let place = random.unit() < unplaced ? [Int16](repeating: 0, count: NetworkInput.mostPlacements) : set.place(of: sequence.wearing)
        let isChained = random.unit() < (sequence.isSingle ? chained : spliced)
        guard isChained else {
            return Stream(sequence: sequence, place: place, isChained: false, isCarried: isCarried, left: start(sequence, &random)[...])
        }
        var windows = sequence.classes.indices
        if !sequence.isSingle { (sequence, windows) = another(sequence.wearing, &random) }
        return Stream(
            sequence: sequence, place: place, isChained: true, isCarried: isCarried, left: piece(windows, isCarried, &random)[...])
    }

    // Another of the wearer's activities where one has ended; false where nothing follows.
    private func prepare(_ stream: inout Stream, _ random: inout RandomNumbers) -> Bool {
        guard stream.left.isEmpty else { return true }
        guard stream.isChained else { return false }
        let (sequence, windows) = another(stream.sequence.wearing, &random)
        stream.sequence = sequence
        stream.left = piece(windows, stream.isCarried, &random)[...]
        return true
    }

    private func another(_ wearing: Int, _ random: inout RandomNumbers) -> (WornSet.Sequence, Range<Int>) {
        let part = byWearing[wearing][random.below(byWearing[wearing].count)]
        return (set.sequences[part.sequence], part.windows)
    }

    private func any(_ random: inout RandomNumbers) -> WornSet.Sequence {
        let place = random.unit() * (sums.last ?? 0)
        var low = 0, high = sums.count - 1
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > place { high = middle } else { low = middle + 1 }
        }
        return set.sequences[use[low]]
    }

    private func start(_ sequence: WornSet.Sequence, _ random: inout RandomNumbers) -> [Int] {
        let count = sequence.classes.count, first = random.below(max(1, count - steps / 2))
        return Array(first..<count)
    }

    private func piece(_ windows: Range<Int>, _ isCarried: Bool, _ random: inout RandomNumbers) -> [Int] {
        let count = windows.count, least = min(shortest, count), most = min(longest, count)
        let length = least + random.below(most - least + 1), first = windows.lowerBound + random.below(count - length + 1)
        let forth = Array(first..<first + length)
        guard isCarried, random.unit() < prolonged else { return forth }
        let total = Int(Double(longest) * Exponential.exp(Exponential.log(mostProlonged / Double(longest)) * random.unit()))
        let both = forth + forth.reversed()
        return (0..<total).map { both[$0 % both.count] }
    }

    // The sum of four 16-bit uniforms, of deviation 1: nearly normal.
    private func quick(_ random: inout RandomNumbers) -> Float {
        let bits = random.next()
        let low = Int(bits & 0xffff) + Int(bits >> 16 & 0xffff), high = Int(bits >> 32 & 0xffff) + Int(bits >> 48)
        return Float(low + high - 2 * 0xffff) * 2.6429e-5
    }
}

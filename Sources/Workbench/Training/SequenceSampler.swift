internal import Support

/// Cuts sequences of windows out of recordings, anew for every batch: anywhere, tilted and blurred.
struct SequenceSampler {
    /// Sequences of a batch, windows of each, samples from one window to the next.
    let batch = 16, steps = 32, hop: Int
    /// Share of the sequences that jump to another place of the same person somewhere on the way, so that not only what usually
    /// follows what is learnt.
    private let jumps = 0.25
    let scale: Float
    let augmentation: Augmentation?
    private let outliers: OutlierWindows?

    private let set: TrainingSet
    private let streams: [Int]
    /// For each stream, the class of the window that begins at a sample, or -1.
    private var labels: [[Int8]] = []
    private let total: Int

    init(_ set: TrainingSet, subjects: Set<Int>, scale: Float, augmentation: Augmentation?) {
        self.set = set
        self.scale = scale
        self.augmentation = augmentation
        hop = set.hop
        outliers = augmentation == nil ? nil : OutlierWindows(set, subjects: subjects)
        let window = set.window
        streams = set.streams.indices.filter { subjects.contains(set.streams[$0].subject) && set.streams[$0].samples.count / 3 >= window }
        labels = set.streams.map { [Int8](repeating: -1, count: max(0, $0.samples.count / 3 - window + 1)) }
        for segment in set.segments
        where outliers?.isKnown(set.streams[segment.stream].samples[segment.range.lowerBound * 3..<segment.range.upperBound * 3]) ?? true {
            for start in segment.range.lowerBound...segment.range.upperBound - window {
                labels[segment.stream][start] = Int8(segment.label)
            }
        }
        total = streams.reduce(0) { [labels] in $0 + labels[$1].count }
    }

    /// Windows that a pass over all recordings has.
    var windows: Int { total / hop }

    /// Whether no recording is as long as a window.
    var isEmpty: Bool { total == 0 }

    /// The next batch; the windows of a step lie together. Where a recording is too short, its sequence ends early with windows of
    /// zeros and no label.
    func next(_ random: inout RandomNumbers) -> (inputs: Rows, labels: [Int]) {
        var inputs = SequenceNetwork.inputs(windows: batch * steps, length: set.window),
            classes = [Int](repeating: SequenceNetwork.Targets.nothing, count: batch * steps)
        for sequence in 0..<batch {
            let turn = augmentation?.turn(&random), jump = random.unit() < jumps ? 1 + random.below(steps - 1) : steps
            let (change, changed) = anyChange(&random)
            var stream = anyStream(&random), start = anyStart(stream, &random, room: jump), since = 0
            for step in 0..<steps {
                if step == jump {
                    let others = streams.filter { set.streams[$0].subject == set.streams[stream].subject }
                    stream = others[random.below(others.count)]
                    (start, since) = (anyStart(stream, &random, room: steps - jump), step)
                }
                let at = start + (step - since) * hop, row = step * batch + sequence
                guard at < labels[stream].count else { continue }
                classes[row] = Int(labels[stream][at])
                let place = inputs.start(row)..<inputs.start(row) + set.window * 3
                for (offset, sample) in set.streams[stream].samples[at * 3..<(at + set.window) * 3].enumerated() {
                    inputs.values[place.lowerBound + offset] = Float(sample) * 0x1p-12
                }
                if changed.contains(step), let change, let outliers {
                    let isOutlier = outliers.apply(change, to: &inputs.values[place], time: Double(step * hop) / 50, &random)
                    classes[row] = isOutlier ? SequenceNetwork.Targets.outlier : SequenceNetwork.Targets.nothing
                }
                if let turn, let augmentation { augmentation.apply(turn, to: &inputs.values[place], &random) }
                for index in place { inputs.values[index] *= scale }
            }
        }
        return (inputs, classes)
    }

    // What is done to which steps of a sequence.
    private func anyChange(_ random: inout RandomNumbers) -> (OutlierWindows.Change?, Range<Int>) {
        guard let outliers, random.unit() < outliers.share else { return (nil, 0..<0) }
        let first = random.below(steps)
        return (outliers.change(&random), first..<min(steps, first + 1 + random.below(outliers.most)))
    }

    // Long recordings more often.
    private func anyStream(_ random: inout RandomNumbers) -> Int {
        var rest = random.below(total)
        for stream in streams {
            rest -= labels[stream].count
            if rest < 0 { return stream }
        }
        return streams[streams.count - 1]
    }

    // So that `room` windows follow, where the recording is long enough.
    private func anyStart(_ stream: Int, _ random: inout RandomNumbers, room: Int) -> Int {
        random.below(max(1, labels[stream].count - hop * (room - 1)))
    }
}

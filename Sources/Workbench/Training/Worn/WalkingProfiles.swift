internal import NeuralNetwork
internal import Recognition
internal import Support

/// Profiles of how people walk as they arise on a board: means of the features of the windows that the network of walking takes for it.
/// Some of stairs and of other exercises are among them, and the wearer's directions are no better known than they are there.
struct WalkingProfiles {
    private let set: WornSet
    /// Of each wearing, sequences that have such windows, and in each of them which.
    private var found: [[(sequence: Int, windows: [Int])]]

    /// Windows in one profile, at most; it is known at ``WearingObserver/enough``.
    private static let most = 256

    init(_ set: WornSet, walking gait: Network) throws(Fault) {
        self.set = set
        found = Array(repeating: [], count: set.wearings.count)
        let width = NetworkInput.countWearing, label = set.labels.firstIndex(of: WornSet.walking)
        var network = try CompiledNetwork(gait), probabilities = [Int16](repeating: 0, count: gait.labels.count)
        for (index, sequence) in set.sequences.enumerated() where !sequence.isMistaken {
            var windows: [Int] = []
            for window in sequence.classes.indices where sequence.classes[window] != RecordingLabels.nothing {
                let row = Array(sequence.features[window * width..<(window + 1) * width].gait)
                _ = network.classify(row, &probabilities)
                if probabilities[1] >= WearingObserver.walkingProbable { windows.append(window) }
            }
            // A network that has learnt little may find nobody's walking.
            if windows.isEmpty { windows = sequence.classes.indices.filter { sequence.classes[$0] == label } }
            if !windows.isEmpty { found[sequence.wearing].append((index, windows)) }
        }
    }

    /// One of a wearing's, Q3.12; nil where nobody walks.
    func next(_ wearing: Int, _ random: inout RandomNumbers) -> [Int16]? {
        let sequences = found[wearing]
        guard !sequences.isEmpty else { return nil }
        let enough = Double(WearingObserver.enough)
        let wanted = Int(enough * Exponential.exp(Exponential.log(Double(Self.most) / enough) * random.unit()))
        var sums = [Int](repeating: 0, count: NetworkInput.countWearing), count = 0
        while count < wanted {
            let (sequence, windows) = sequences[random.below(sequences.count)]
            for window in windows[random.below(windows.count)...].prefix(wanted - count) {
                let first = window * sums.count
                for column in sums.indices { sums[column] += Int(set.sequences[sequence].features[first + column]) }
                count += 1
            }
        }
        return sums.map { Int16(clamping: $0 / count) }
    }
}

extension ArraySlice<Int16> {
    /// Of a window's features, those that do not depend on how the sensor is turned.
    var gait: Self { dropFirst(NetworkInput.firstGait).prefix(NetworkInput.countGait) }
}

internal import NeuralNetwork
internal import Recognition
internal import Sensing
internal import Support

/// What a network's last layer reads for labelled windows of one person.
struct PersonalWindows {
    /// Labels are the network's.
    private(set) var embeddings: [[Int16]] = [], labels: [Int] = []
    /// Activities of the recordings that the network does not know.
    private(set) var foreign: [String] = []

    private let network: Network
    /// Samples at 50 Hz of each label that are still to be taken.
    private var left: [Int]

    /// Takes the first seconds of each activity; a window begins every eighth of one.
    ///
    /// - Parameter known: how the sensor was worn, where that is known already; otherwise the recordings' walking shows it.
    /// - Throws: `.badData` when it is not known which way is up.
    init(_ streams: [LabelledStream], of network: Network, seconds: Int, known: WearingKnowledge) throws(Fault) {
        self.network = network
        left = [Int](repeating: seconds * 50, count: network.labels.count)
        var rows = try Self.rows(streams, network, known)
        var compiled = try CompiledNetwork(network)
        for stream in streams {
            for piece in stream.pieces {
                let samples = try Self.filtered(piece, of: stream)
                for stretch in piece.stretches {
                    guard let names = stretch.labels, let label = label(names) else { continue }
                    let range = stretch.range.at50Hz(stream.rate).clamped(to: 0..<samples.count / 3)
                    let taken = range.prefix(left[label])
                    guard taken.count >= network.window else { continue }
                    left[label] -= taken.count
                    for offset in 0..<Self.offsets {
                        compiled.reset()
                        let first = taken.startIndex + offset * network.hop / Self.offsets
                        for start in Swift.stride(from: first, through: taken.endIndex - network.window, by: network.hop) {
                            let window = Array(samples[start * 3..<(start + network.window) * 3])
                            let row = rows?.row(window) ?? window
                            embeddings.append(network.embedding(in: compiled.observe(row, of: network)))
                            labels.append(label)
                        }
                    }
                }
            }
        }
    }

    private static func filtered(_ piece: LabelledStream.Piece, of stream: LabelledStream) throws(Fault) -> [Int16] {
        stream.isFiltered ? piece.samples : try FrontEnd.filtered(piece.samples, rate: stream.rate)
    }

    /// Windows begin at so many places of a hop.
    private static let offsets = 4

    private mutating func label(_ names: [String]) -> Int? {
        let joint = names.joined(separator: "|").lowercased()
        if let found = network.labels.firstIndex(ignoringCaseOf: joint) { return found }
        if !joint.isEmpty, !foreign.contains(joint) { foreign.append(joint) }
        return nil
    }

    private static func rows(_ streams: [LabelledStream], _ network: Network, _ known: WearingKnowledge) throws(Fault) -> WearingRows? {
        try WearingRows.oriented(
            network, known, remedy: "Record some walking, run gaitway wear, or say how the sensor was worn: --up AXIS."
        ) { (body) throws(Fault) in
            for stream in streams {
                for piece in stream.pieces {
                    let samples = try filtered(piece, of: stream)
                    for start in Swift.stride(from: 0, through: samples.count / 3 - network.window, by: network.hop) {
                        body(Array(samples[start * 3..<(start + network.window) * 3]))
                    }
                }
            }
        }
    }
}

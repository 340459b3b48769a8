package import NeuralNetwork
internal import Recognition
internal import Sensing
package import Support

/// Inputs to calibrate a float network on: windows of recordings, or rows of numbers out of a file.
package struct CalibrationRows {
    package let count: Int
    /// In the unit of the network's input: g for windows.
    package let row: (Int) -> [Float]
    /// Q3.12, where the rows are windows.
    package let samples: (Int) -> [Int16]?
    package let label: (Int) -> String?
    /// For the model's golden pair: a piece of nobody's recording.
    let golden: [Int16]?

    /// Windows of a recording set, of recordings in the HAPT layout or of one's own, filtered as `gaitway run` filters them, or what it
    /// makes of them.
    ///
    /// - Parameter window: samples of one.
    /// - Throws: those of ``TrainingSet``; `.usage` when such windows do not make as many numbers as the network takes.
    package init(recordings: String, inputs: Int, kind: NetworkInput, window: Int, hop: Int) throws(Fault) {
        guard kind.count(window: window) == inputs else {
            throw Fault(
                .usage, "the network takes \(inputs) numbers, which are no windows of x, y, z, nor made of them (\(kind.rawValue))",
                remedy: [NetworkInput.features17, .features80].first { $0.count(window: window) == inputs }.map {
                    "Are they those that gaitway features prints? --input \($0.rawValue)"
                } ?? "Calibrate it on rows of its own inputs: --input features --calibrate ROWS.csv")
        }
        try self.init(try TrainingSet.recordings(in: recordings, window: window), kind: kind, hop: hop)
    }

    /// All labelled windows of a set.
    ///
    /// - Parameter kind: what is made of each; not ``NetworkInput/features``.
    package init(_ set: TrainingSet, kind: NetworkInput, hop: Int) throws(Fault) {
        let positions = set.positions(of: Set(set.subjects), hop: hop)
        try self.init(count: positions.count, window: set.window, kind, label: { set.labels[set.label(of: positions[$0])] }) {
            set.row(at: positions[$0], kind)
        }
    }

    /// Windows of somebody simulated who does a little of everything, where there are no recordings: they give ranges, and say nothing
    /// about accuracy.
    ///
    /// - Parameter kind: what is made of each; not ``NetworkInput/features``.
    package init(simulated kind: NetworkInput, window: Int = 128, hop: Int = 64) throws(Fault) {
        let movement = try GoldenWindow.simulated(.endless, count: 5 * 60 * 50)
        try self.init(count: (movement.count / 3 - window) / hop + 1, window: window, kind, label: { _ in nil }) {
            WindowInput.row(Array(movement[$0 * hop * 3..<($0 * hop + window) * 3]), kind)
        }
    }

    private init(
        count: Int, window: Int, _ kind: NetworkInput, label: @escaping (Int) -> String?, samples: @escaping (Int) -> [Int16]
    ) throws(Fault) {
        (self.count, self.label, self.samples) = (count, label, samples)
        row = { samples($0).map { Float($0) * 0x1p-12 } }
        golden = WindowInput.row(try GoldenWindow.samples(window), kind)
    }

    /// Rows of numbers separated by commas, without a header.
    ///
    /// - Throws: `.noInput`, `.permission`, `.badData` naming the line.
    package init(file: String, inputs: Int) throws(Fault) {
        let rows = try NumberRows.read(file, columns: inputs).map { $0.map { Float($0) } }
        count = rows.count
        row = { rows[$0] }
        samples = { _ in nil }
        label = { _ in nil }
        golden = nil
    }
}

package import Sensing
package import Support

/// Trains as Swift-HAR did: class by class without shuffling, up to 31 epochs, until the cost on the test windows is below 0.05.
package struct SwiftHARTrainer {
    private typealias Example = (input: [Float], target: [Float])

    /// Of its recordings, mHz.
    package static let rate = SwiftHARWindows.rate

    package let labels: [String]
    private var training: [Example] = []
    private var testing: [Example] = []

    /// The latest recording of each label counts, as a second one replaced the first.
    ///
    /// - Throws: those of ``RecordingStore``; `.badData` when there are fewer than two labels or a recording is not 10 s long.
    package init(store: RecordingStore) throws(Fault) {
        labels = try store.labels()
        guard labels.count >= 2 else {
            throw Fault(.badData, "Swift-HAR needs two labels; \(store.directory) has \(labels.count)", remedy: "Record another activity.")
        }
        let entries = try store.entries()
        for (index, label) in labels.enumerated() {
            guard let entry = entries.last(where: { $0.label == label }) else { continue }
            let axes = try SwiftHARWindows.axes(try store.read(entry), path: entry.path)
            let target = labels.indices.map { Float($0 == index ? 1 : 0) }
            training += SwiftHARWindows.training.map { (SwiftHARWindows.window(axes, $0), target) }
            testing += SwiftHARWindows.testing.map { (SwiftHARWindows.window(axes, $0), target) }
        }
    }

    package struct Result: Sendable {
        package var network: SwiftHARNetwork
        package var epochs: Int
        /// On the test windows: mean of half the squared error, and the share that is decided right.
        package var cost: Float
        package var accuracy: Double
        /// Whether the cost fell below Swift-HAR's threshold; it said "Training Complete" either way.
        package var isEnough: Bool { cost < SwiftHARNetwork.threshold }
    }

    package func train(
        _ start: SwiftHARNetwork, epochs most: Int = SwiftHARNetwork.epochs, progress: (Int, Float) -> Void = { _, _ in }
    ) -> Result {
        var network = start, cost = Float.infinity, epoch = 0
        while epoch < most && cost >= SwiftHARNetwork.threshold {
            for example in training { network.learn(example.input, target: example.target) }
            cost = network.cost(testing)
            epoch += 1
            progress(epoch, cost)
        }
        let right = testing.count { example in network.infer(example.input).indexOfLargest == example.target.indexOfLargest }
        return Result(network: network, epochs: epoch, cost: cost, accuracy: Double(right) / Double(max(testing.count, 1)))
    }

    /// Outputs for the window that Swift-HAR guessed on, and which label that is; the first of equals.
    package static func guess(_ recording: Recording, _ network: SwiftHARNetwork) throws(Fault) -> (label: String, outputs: [Float]) {
        let outputs = network.infer(
            SwiftHARWindows.window(try SwiftHARWindows.axes(recording, path: "the recording"), SwiftHARWindows.guessed))
        return (network.labels[outputs.indexOfLargest], outputs)
    }
}

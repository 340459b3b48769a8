package import NeuralNetwork
internal import Recognition
internal import Sensing
package import Support

/// How long the loop's parts take on this machine.
package struct Benchmark: Sendable {
    /// Median ns of one inference for each kernel that this processor has.
    package var inference: [(kernel: String, nanoseconds: Double)] = []
    /// The same where each window is the one before, moved on by the hop; empty where the network has no such windows.
    package var moving: [(kernel: String, nanoseconds: Double)] = []
    /// Median ns of the front end for one sample of three axes, with the processor's best filter and with plain C.
    package var sample = 0.0
    package var sampleReference = 0.0
    /// Median ns of a whole decision: a hop of samples, inference, smoothing.
    package var decision = 0.0
    /// Bytes of the loop's state, weights included.
    package var bytes = 0

    /// - Throws: `.badData` when the network cannot be used.
    package init(_ network: Network) throws(Fault) {
        let input = network.golden?.input ?? [Int16](repeating: 0, count: network.window * 3)
        for kernel in CompiledNetwork.kernels {
            var compiled = try CompiledNetwork(network, kernel: kernel)
            var probabilities = [Int16](repeating: 0, count: network.labels.count)
            inference.append((kernel, Stopwatch.median { _ = compiled.classify(input, &probabilities) }))
        }
        var block = SampleBlock(capacity: network.hop * 64)
        _ = try SimulatedWearer(.endless).read(into: &block)
        moving = try network.advance > 0 ? Self.moving(network, block.samples) : []
        for reference in [false, true] {
            var frontEnd = try FrontEnd(length: network.window, hop: network.hop, reference: reference)
            let time = Stopwatch.median { frontEnd.push(block.samples, count: block.count) { _, _ in } } / Double(block.count)
            if reference { sampleReference = time } else { sample = time }
        }
        var recogniser = try Recogniser(network, rate: 50_000, block: block.count)
        var tracker = ActivityTracker(labels: network.labels, smoothing: Smoothing())
        bytes = recogniser.bytes
        decision = Stopwatch.median { recogniser.push(block.samples, count: block.count) { _ = tracker.take($0) } } / 64
    }

    private static func moving(_ network: Network, _ samples: [Int16]) throws(Fault) -> [(kernel: String, nanoseconds: Double)] {
        let starts = stride(from: 0, through: samples.count - network.inputs, by: network.advance)
        let windows = starts.map { Array(samples[$0..<$0 + network.inputs]) }
        guard !windows.isEmpty else { return [] }
        return try CompiledNetwork.kernels.map { kernel throws(Fault) in
            var compiled = try CompiledNetwork(network, kernel: kernel), number = 0
            var probabilities = [Int16](repeating: 0, count: network.labels.count)
            let time = Stopwatch.median {
                _ = compiled.classify(windows[number % windows.count], &probabilities)
                number &+= 1
            }
            return (kernel, time)
        }
    }
}

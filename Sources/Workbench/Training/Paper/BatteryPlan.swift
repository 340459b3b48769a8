internal import Evaluation
package import NeuralNetwork
internal import Recognition
internal import Sensing
package import Support

/// Which network lets a battery last as long as somebody wants, and what that costs in accuracy: the question of Anguita et al. 2013,
/// asked of the machine that this runs on.
///
/// A decision takes the time of its parts, measured here, at the power that the board takes while it works.
package struct BatteryPlan: Sendable {
    /// What is known of the board.
    package struct Board: Sendable {
        /// Of the full battery, mWh.
        package var capacity: Double
        /// While it waits for samples, mW; and beyond that while it computes.
        package var idle: Double, active: Double

        package init(capacity: Double, idle: Double, active: Double) { (self.capacity, self.idle, self.active) = (capacity, idle, active) }
    }

    /// One way to decide.
    package struct Choice: Sendable, Equatable {
        package var name: String
        /// Of the weights; 0 for two networks together.
        package var bits: Int
        /// Seconds between two decisions.
        package var period: Double
        /// Of one decision: the front end's samples, features, inference.
        package var millijoules: Double
        package var hours: Double
        /// On people left out.
        package var accuracy: Double
        /// Share of the windows that the larger of two networks is asked about; nil for one network.
        package var woken: Double?
    }

    package let target: Double
    package let board: Board
    /// The most accurate first.
    package private(set) var choices: [Choice] = []
    private var networks: [(name: String, network: Network)] = []

    private static let inputs: [NetworkInput] = [.raw, .features17, .features80], widths = [16, 8, 6, 4]
    // Hops of half a window and of a whole one.
    private static let periods = [1, 2]
    // From this probability on the cheap network does not ask the larger one, Q0.15.
    private static let sure: Int16 = 26_214

    /// The most accurate way that lasts long enough, at the shortest time between decisions; nil where there is none.
    package var chosen: Choice? { choices.first { $0.hours >= target } }

    /// The network of a choice.
    package func network(of choice: Choice) -> Network? {
        guard var network = networks.first(where: { $0.name == choice.name })?.network else { return nil }
        network.hop = Int((choice.period * 50).rounded())
        if var first = network.first?.network, let sure = network.first?.sure {
            first.hop = network.hop
            network.first = FirstNetwork(first, sure: sure)
        }
        return network
    }

    /// - Parameters:
    ///   - directory: recordings in the layout of HAPT; every fifth person is measured on.
    ///   - target: hours.
    /// - Throws: those of the trainer and of the recordings.
    package init(_ directory: String, target: Double, board: Board, progress: (String) -> Void = { _ in }) throws(Fault) {
        (self.target, self.board) = (target, board)
        let set = try TrainingSet(directory: directory)
        let left = Set(set.subjects.enumerated().filter { $0.offset % 5 == 0 }.map(\.element))
        let frontEnd = try Self.frontEnd()
        var eight: [NetworkInput: Measured] = [:]
        for input in Self.inputs {
            progress("training on \(input.rawValue)")
            var options = TrainingOptions()
            (options.input, options.augment) = (input, input == .raw)
            if input == .features17 { options.hidden = 32 }
            let trainer = try Trainer(set, options), sweep = try trainer.sweep(4...16, leavingOut: left)
            for bits in Self.widths {
                guard let step = sweep.step(bits: bits) else { continue }
                let measured = try Measured(step.network, input, set, left)
                if bits == 8 { eight[input] = measured }
                let name = "\(input.rawValue), \(bits) bits"
                networks.append((name, step.network))
                add(name, bits, frontEnd + measured.nanoseconds, step.matrix.accuracy, nil)
            }
        }
        if let cheap = eight[.features17], let input = [NetworkInput.features80, .raw].first(where: { eight[$0] != nil }),
            let large = eight[input]
        {
            let together = cheap.asking(large, below: Self.sure), name = "features-17, and \(input.rawValue) when unsure"
            var network = large.network
            network.first = FirstNetwork(cheap.network, sure: Self.sure)
            networks.append((name, network))
            add(
                name, 0, frontEnd + cheap.nanoseconds + together.woken * large.nanoseconds, together.accuracy, together.woken)
        }
        choices.sort { ($1.accuracy, $0.period, $0.name) < ($0.accuracy, $1.period, $1.name) }
    }

    private mutating func add(_ name: String, _ bits: Int, _ nanoseconds: Double, _ accuracy: Double, _ woken: Double?) {
        for times in Self.periods {
            let period = 1.28 * Double(times)
            // Samples are filtered whether a window is decided on or not; mW x ns = 1e-9 mJ.
            let energy = nanoseconds * 1e-9 * board.active
            choices.append(
                Choice(
                    name: name, bits: bits, period: period, millijoules: energy, hours: board.capacity / (board.idle + energy / period),
                    accuracy: accuracy, woken: woken))
        }
    }

    // Of a hop's samples, ns.
    private static func frontEnd() throws(Fault) -> Double {
        var block = SampleBlock(capacity: 64)
        _ = try SimulatedWearer(.endless).read(into: &block)
        var frontEnd = try FrontEnd()
        return Stopwatch.median { frontEnd.push(block.samples, count: block.count) { _, _ in } }
    }
}

/// A network on the windows of people left out.
private struct Measured {
    let network: Network
    /// Of features and inference, for one window.
    var nanoseconds: Double
    var decided: [(label: Int, probability: Int16)] = []
    var truth: [Int] = []

    init(_ network: Network, _ input: NetworkInput, _ set: TrainingSet, _ people: Set<Int>) throws(Fault) {
        self.network = network
        var compiled = try CompiledNetwork(network), probabilities = [Int16](repeating: 0, count: network.labels.count)
        for person in people.sorted() {
            for (label, row) in set.rows(of: person, input) {
                let found = compiled.classify(row, &probabilities)
                decided.append((found, probabilities[found]))
                truth.append(label)
            }
        }
        let window = (0..<network.window * 3).map { Int16(truncatingIfNeeded: $0 * 977 % 8192 - 4096) }
        nanoseconds = Stopwatch.median { _ = compiled.classify(WindowInput.row(window, input), &probabilities) }
    }

    func asking(_ other: Measured, below limit: Int16) -> (accuracy: Double, woken: Double) {
        var right = 0, woken = 0
        for index in truth.indices {
            let isUnsure = decided[index].probability < limit
            woken += isUnsure ? 1 : 0
            right += (isUnsure ? other.decided[index].label : decided[index].label) == truth[index] ? 1 : 0
        }
        let count = Double(max(1, truth.count))
        return (Double(right) / count, Double(woken) / count)
    }
}

import Recognition
import Sensing
import Support
import Testing

@testable import NeuralNetwork
@testable import Updates

@Suite struct ModelExchangeTests {
    private let network: Network
    private let script = "simulated:seed=5,stand=30,walk=30,lie=30,upstairs=30"

    init() throws {
        network = try NetworkFile.load(
            "/\(#filePath.split(separator: "/").dropLast(3).joined(separator: "/"))/board/models/activity.safetensors")
    }

    private var newer: Network {
        var network = network
        network.version += 1
        return network
    }

    private func settings(_ shadow: Int, _ probation: Int) -> ModelTrial.Settings {
        ModelTrial.Settings(shadow: shadow, probation: probation)
    }

    /// Runs the script with a candidate; findings are acted on as the service does, at once.
    private func run(
        _ candidate: Network, _ settings: ModelTrial.Settings, commits: Bool = true
    ) throws -> (activities: [Activity], versions: [Int], findings: [ModelExchange.Finding], progress: [Double]) {
        var loop = try ClassificationLoop(source: try SourceSpecification(script).open(), network: network)
        let exchange = ModelExchange(running: network, settings)
        exchange.tryOut(candidate)
        _ = exchange.step(&loop)
        var activities: [Activity] = [], versions: [Int] = [], findings: [ModelExchange.Finding] = [], running = network.version,
            progress: [Double] = []
        try loop.run(
            speed: .max,
            between: { loop throws(Fault) in
                for finding in exchange.takeFindings() {
                    findings.append(finding)
                    if finding == .shadowPassed { exchange.promote() }
                    if finding == .probationPassed { exchange.finish() }
                }
                if let network = exchange.step(&loop) { running = network.version }
                if let share = exchange.progress { progress.append(share) }
            },
            sink: { activity throws(Fault) in
                exchange.take(activity)
                activities.append(activity)
                versions.append(running)
            })
        #expect(exchange.running.version == loop.network.version)
        return (activities, versions, findings, progress)
    }

    private func alone() throws -> [Activity] {
        var loop = try ClassificationLoop(source: try SourceSpecification(script).open(), network: network), activities: [Activity] = []
        try loop.run(speed: .max) { activities.append($0) }
        return activities
    }

    /// The same weights under another version: had a window been lost, cut anew or decided on twice, or an LSTM forgotten, it would show.
    @Test func aSwapLeavesEveryDecisionAsItWas() throws {
        let expected = try alone()
        let (activities, versions, findings, progress) = try run(newer, settings(7, 20))
        #expect(findings == [.shadowPassed, .probationPassed])
        #expect(progress == progress.sorted() && Set(progress).isSuperset(of: [0, 0.5, 0.975]))
        #expect(versions.count { $0 == network.version } == 7 && Set(versions) == [network.version, network.version + 1])
        #expect(activities.map(\.end) == expected.map(\.end))
        #expect(activities.map(\.probabilities) == expected.map(\.probabilities))
        #expect(activities.map(\.smoothed) == expected.map(\.smoothed))
        #expect(
            activities.prefix(27).allSatisfy { $0.shadow?.label == $0.label } && activities.dropFirst(28).allSatisfy { $0.shadow == nil })
    }

    // Its last layer's biases say one thing alone.
    private var stubborn: Network {
        var network = newer
        guard let last = network.layers.indices.last, case .dense(var weights) = network.layers[last].operation else { return network }
        weights.bias = weights.bias.indices.map { $0 == 4 ? 1 << 40 : -1 << 40 }
        network.layers[last].operation = .dense(weights)
        return network
    }

    @Test func aModelThatKnowsOneClassAloneNeverDecides() throws {
        let (activities, versions, findings, _) = try run(stubborn, settings(40, 20))
        #expect(
            findings.count == 1 && findings.first.map { "\($0)".contains("it says STANDING in all of 40 windows") } == true, "\(findings)")
        let expected = try alone()
        #expect(Set(versions) == [network.version] && activities.map(\.probabilities) == expected.map(\.probabilities))
    }

    @Test func onProbationTheOldOneTakesOverAgain() throws {
        // Three windows of one class are no reason yet; forty on probation are.
        let (activities, versions, findings, _) = try run(stubborn, settings(3, 40))
        #expect(findings.count == 2 && findings.first == .shadowPassed)
        #expect(versions.count { $0 == network.version + 1 } == 40)
        let expected = try alone()
        #expect(activities.map(\.end) == expected.map(\.end))
        // The old one had gone on in the shadow, so that nothing shows afterwards.
        #expect(activities.dropFirst(43).map(\.probabilities) == expected.dropFirst(43).map(\.probabilities))
    }

    @Test func anotherWindowIsNoCandidate() throws {
        var other = newer
        other.hop = 32
        let (activities, _, findings, _) = try run(other, settings(3, 3))
        let expected = try alone()
        #expect(findings.count == 1 && activities.map(\.probabilities) == expected.map(\.probabilities))
    }

    @Test func slowInferencesFail() {
        var trial = ModelTrial(windows: 10, slowest: 1_000_000)
        #expect(trial.take(candidate: "A", incumbent: "A", duration: 1_000_000) == .goOn)
        #expect(trial.take(candidate: "A", incumbent: "A", duration: 2_000_000) == .failed("an inference took 2 ms, which stalls the loop"))
    }

    @Test func someoneWhoSitsAllDayIsNoCollapse() {
        var trial = ModelTrial(windows: 10, slowest: .max), verdicts: [ModelTrial.Verdict] = []
        for window in 0..<10 {
            verdicts.append(trial.take(candidate: "SITTING", incumbent: window < 8 ? "SITTING" : "STANDING", duration: 0))
        }
        #expect(verdicts.last == .passed)
    }
}

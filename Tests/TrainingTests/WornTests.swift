import Sensing
import Support
import TestHelpers
import Testing

@testable import Evaluation
@testable import NeuralNetwork
@testable import Recognition
@testable import Training

@Suite struct WornTests {
    private func trained(_ directory: String, leftOut: Set<String> = [], seed: UInt64 = 1) throws -> Network {
        var selection = WornSet.Selection(directories: [directory]), options = TrainingOptions()
        selection.leftOut = leftOut
        (options.seed, options.epochs) = (seed, 400)
        return try WornTrainer(try WornSet(selection), options).train().network
    }

    @Test func decidesHoweverTheSensorIsTurned() throws {
        let directory = try simulatedSet(people: 4), network = try trained(directory, leftOut: ["s4"])
        #expect(network.inputKind == .worn && network.labels == ["WALKING", "SITTING", "STANDING", "LAYING"])
        #expect(network.trainedOn == ["simulated/s1", "simulated/s2", "simulated/s3"] && network.placements == ["waist"])
        let path = temporaryDirectory() + "/model"
        try NetworkFile.save(network, to: path)
        #expect(try NetworkFile.load(path) == network)
        var options = Evaluation.Options()
        options.people = ["s4"]
        for turned in [nil, 3, 4] as [UInt64?] {
            options.turned = turned
            let score = try Evaluation.recordings([directory], options, network: network)
            #expect(score.windows.windows > 60 && score.windows.accuracy > 0.9, "\(score.windows.counts)")
            #expect(score.unoriented?.right == 0 && score.placed?.share == 1 && score.trainedOn.isEmpty)
        }
        options.isCold = true
        let cold = try Evaluation.recordings([directory], options, network: network)
        // A minute of walking comes first; twelve windows and what the detector misses of them are not decided on.
        let share = try #require(cold.unoriented).share
        #expect(share > 0.1 && share < 0.4, "\(share)")
        options.people = ["s1"]
        #expect(try Evaluation.recordings([directory], options, network: network).trainedOn == ["s1"])
    }

    @Test func theSameRecordingsGiveTheSameModel() throws {
        let directory = try simulatedSet(people: 2), first = try trained(directory)
        #expect(try trained(directory) == first)
        #expect(try trained(directory, seed: 2) != first)
    }

    /// What was learnt of how the sensor is worn goes over a restart, and not into another sensor's.
    @Test func orientationIsKept() throws {
        let directory = try simulatedSet(people: 2), network = try trained(directory), set = try RecordingSet(directory: directory)
        let stream = try set.stream(of: set.entries[0]), playback = Playback(network: network)
        let (cold, learnt) = try playback.decisions(stream), orientation = try #require(learnt)
        #expect(cold[0].first?.isOriented == false && cold.last?.last?.isOriented == true)
        let warm = try playback.decisions(stream, orientation: try Orientation(orientation.numbers)).pieces
        #expect(warm.joined().allSatisfy { $0.isOriented == true && $0.placement == "waist" })
        #expect(throws: Fault.self) { _ = try Orientation(Array(orientation.numbers.dropLast())) }
        var damaged = orientation.numbers
        damaged[4] = .max
        #expect(throws: Fault.self) { _ = try Orientation(damaged) }
    }

    /// Before a network knows which way is up, what it shows is "unknown".
    @Test func nothingIsShownBefore() throws {
        let directory = try simulatedSet(people: 2), network = try trained(directory), set = try RecordingSet(directory: directory)
        var tracker = ActivityTracker(labels: network.labels, smoothing: Smoothing())
        for decision in try Playback(network: network).decisions(try set.stream(of: set.entries[0])).pieces[0].prefix(8) {
            let activity = tracker.take(decision)
            #expect(activity.label == Smoothing.unknown && activity.smoothed == Smoothing.unknown && activity.isOriented == false)
        }
    }

    @Test func filesWithoutTheirNetworksAreRefused() throws {
        let network = try trained(try simulatedSet(people: 2))
        var alone = network
        alone.wearing = nil
        #expect(throws: Fault.self) { _ = try NetworkFile.encode(alone) }
        var nested = network
        nested.wearing = WearingNetworks(gait: network, placement: try #require(network.wearing).placement)
        #expect(throws: Fault.self) { _ = try NetworkFile.encode(nested) }
        var swapped = network
        swapped.wearing = WearingNetworks(gait: try #require(network.wearing).placement, placement: try #require(network.wearing).gait)
        #expect(throws: Fault.self) { _ = try NetworkFile.encode(swapped) }
    }

    @Test func whoDoesNotWalkCannotBeLearntFrom() throws {
        let directory = try simulatedSet(people: 2), path = directory + "/labels.csv"
        let text = String(decoding: try Files.read(path, limit: 1000), as: UTF8.self)
        try Files.write(Array(text.replacing("WALKING", with: "CYCLING").utf8), to: path)
        let fault = #expect(throws: Fault.self) { _ = try WornSet(WornSet.Selection(directories: [directory])) }
        #expect(try #require(fault).message.contains("nobody walks"))
        #expect(throws: Fault.self) {
            var selection = WornSet.Selection(directories: [directory])
            selection.leftOut = ["s9"]
            _ = try WornSet(selection)
        }
    }
}

import Sensing
import Support
import TestHelpers
import Testing

@testable import Evaluation
@testable import NeuralNetwork
@testable import Recognition
@testable import Training

@Suite struct PersonalTests {
    private static let directory = Result { try simulatedSet(people: 4) }

    private func trained(without: Set<String> = []) throws -> Network {
        var selection = WornSet.Selection(directories: [try Self.directory.get()]), options = TrainingOptions()
        (selection.leftOut, selection.without, options.epochs) = (["s4"], without, 130)
        return try WornTrainer(try WornSet(selection), options).train().network
    }

    @Test func whatWasNotTrainedIsUnknown() throws {
        let network = try trained(without: ["LAYING"]), directory = try Self.directory.get()
        #expect(network.labels == ["WALKING", "SITTING", "STANDING"])
        var options = Evaluation.Options()
        options.people = ["s4"]
        options.smoothing = Smoothing(for: network)
        let score = try Evaluation.recordings([directory], options, network: network), detection = try #require(score.detection)
        #expect(detection.area > 0.95 && score.foreign.all > 10, "\(detection.area) \(score.foreign)")
        #expect(score.windows.accuracy > 0.9)
        // With a limit that 95 % of the known windows keep, all others but the first of each stretch are shown as unknown.
        var strict = network
        strict.prototypes?.limit = detection.known.sorted()[detection.known.count * 95 / 100]
        let found = try Evaluation.recordings([directory], options, network: strict).foreign
        #expect(found.share > 0.7 && found.right > score.foreign.right, "\(found)")
        var blind = network
        blind.prototypes = nil
        #expect(try Evaluation.recordings([directory], options, network: blind).foreign.right < found.right)
        #expect(throws: Fault.self) { _ = try trained(without: ["WALKING"]) }
        #expect(throws: Fault.self) { _ = try trained(without: ["LYING"]) }
    }

    @Test func whereNobodyWalksNoWindowIsDecidedOn() throws {
        // Labelled as walking, and still.
        let still = try simulatedSet(people: 1, walk: "sit"), network = try trained()
        let fault = #expect(throws: Fault.self) { _ = try Evaluation.recordings([still], Evaluation.Options(), network: network) }
        #expect(try #require(fault).message.contains("nobody walks"))
    }

    @Test func prototypesThatDoNotFitAreRefused() throws {
        let network = try trained(), path = temporaryDirectory() + "/model"
        let prototypes = try #require(network.prototypes)
        try NetworkFile.save(network, to: path)
        #expect(try NetworkFile.load(path).prototypes == prototypes)
        func refused(_ change: (inout Prototypes) -> Void) {
            var damaged = network
            if var changed = damaged.prototypes {
                change(&changed)
                damaged.prototypes = changed
            }
            #expect(throws: Fault.self) { try NetworkFile.save(damaged, to: path) }
        }
        refused { $0.scales.removeLast() }
        refused { $0.offsets.append(0) }
        refused { $0.precisions[0][3] = 0 }
        refused { $0.precisions[1][0] = 2048 }
        refused { $0.scales[2] = -1 }
        refused { $0 = Prototypes(scales: $0.scales) }
    }

    @Test func aPersonsSecondsChangeNobodyElse() throws {
        let network = try trained(), directory = try Self.directory.get()
        let (streams, person) = try PersonalRecordings.person([directory], ["s4"], [])
        let result = try Personalisation(network, seconds: 10).learn(from: streams, of: person, version: 7)
        #expect(person == ["simulated/s4"] && result.network.trainedOn.contains("simulated/s4"))
        #expect(Set(result.windows.map(\.label)) == Set(network.labels) && result.windows.allSatisfy { $0.count <= 4 * 7 })
        #expect(result.after >= result.before && result.othersAfter >= result.othersBefore && result.foreign.isEmpty)
        #expect(result.network.version == 7 && result.network.labels == network.labels && result.network.exemplars == network.exemplars)
        let path = temporaryDirectory() + "/model"
        try NetworkFile.save(result.network, to: path)
        #expect(try NetworkFile.load(path) == result.network)
        var bare = network
        bare.exemplars = nil
        #expect(throws: Fault.self) { _ = try Personalisation(bare) }
        // Several people are no person.
        #expect(throws: Fault.self) { _ = try PersonalRecordings.person([directory], [], []) }
    }
}

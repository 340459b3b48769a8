import Conversion
import Sensing
import Support
import TestHelpers
import Testing

@testable import Evaluation
@testable import NeuralNetwork
@testable import Recognition
@testable import Training

@Suite struct WornTests {
    private func trained(_ directories: String..., leftOut: Set<String> = [], seed: UInt64 = 1) throws -> Network {
        var selection = WornSet.Selection(directories: directories), options = TrainingOptions()
        selection.leftOut = leftOut
        (options.seed, options.epochs) = (seed, 130)
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

    /// The same walking at two places that are one, another one at the third.
    @Test func aPocketIsAThigh() throws {
        let places = ["pocket", "thigh", "waist"]
        let sets = try places.map { try simulatedSet(people: 4, placement: $0, walk: $0 == "waist" ? "downstairs" : "walk") }
        let network = try trained(sets[0], sets[1], sets[2])
        #expect(network.placements == places && network.wearing?.placement.labels == places)
        let score = try Evaluation.recordings(sets, Evaluation.Options(), network: network)
        #expect(score.places == ["pocket": ["pocket|thigh": 4], "thigh": ["pocket|thigh": 4], "waist": ["waist": 4]])
        var recogniser = try Recogniser(network, rate: 50_000, block: 64)
        recogniser.use(ConfiguredWearing(placement: "thigh"))
        var block = SampleBlock(capacity: 64), found: Set<String?> = []
        let wearer = SimulatedWearer(try SimulatedWearer.Script("walk=60"))
        while try wearer.read(into: &block) {
            recogniser.push(block.samples, count: block.count) { found.insert($0.placement) }
        }
        #expect(found == ["thigh"])
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
        let first = try playback.decisions(stream), cold = first.pieces, orientation = try #require(first.orientation)
        #expect(cold[0].first?.orientation == .unknown && cold.last?.last?.orientation == .learnt)
        let warm = try playback.decisions(stream, orientation: try Orientation(orientation.numbers)).pieces
        #expect(warm.joined().allSatisfy { $0.orientation == .learnt && $0.placement == "waist" })
        #expect(throws: Fault.self) { _ = try Orientation(Array(orientation.numbers.dropLast())) }
        var damaged = orientation.numbers
        damaged[4] = .max
        #expect(throws: Fault.self) { _ = try Orientation(damaged) }
    }

    /// Before a network knows which way is up it tells walking, and nothing else.
    @Test func onlyWalkingIsShownBefore() throws {
        let directory = try simulatedSet(people: 2), network = try trained(directory), set = try RecordingSet(directory: directory)
        var tracker = ActivityTracker(labels: network.labels, smoothing: Smoothing(agreement: 1)), shown: [String: Int] = [:]
        for piece in try Playback(network: network).decisions(try set.stream(of: set.entries[0])).pieces {
            for decision in piece.prefix(9) where decision.orientation == .unknown {
                let activity = tracker.take(decision)
                shown[activity.label, default: 0] += 1
                #expect(activity.smoothed == activity.label && activity.orientation == .unknown)
                #expect(decision.probabilities.allSatisfy { $0 >= 0 } && decision.probabilities.reduce(0) { $0 + Int($1) } <= 32767)
            }
        }
        #expect(Set(shown.keys).isSubset(of: ["WALKING", Smoothing.unknown]) && shown["WALKING", default: 0] > 2, "\(shown)")
    }

    /// What was configured counts from the first window on, until walking has shown how the sensor is worn.
    @Test func whatIsConfiguredCountsUntilItIsLearnt() throws {
        let network = try trained(try simulatedSet(people: 3))
        func decisions(_ configured: ConfiguredWearing?) throws -> [Decision] {
            var decisions: [Decision] = [], recogniser = try Recogniser(network, rate: 50_000, block: 64)
            let source = SimulatedWearer(try SimulatedWearer.Script("stand=10,walk=40,stand=10")), room = SampleBlock(capacity: 64)
            var block = room
            if let configured { recogniser.use(configured) }
            while try source.read(into: &block) { recogniser.push(block.samples, count: block.count) { decisions.append($0) } }
            return decisions
        }
        let known = try decisions(ConfiguredWearing(up: .x, forward: .y, placement: "waist"))
        #expect(known[2].orientation == .configured && known[2].label.map { network.labels[$0] } == "STANDING")
        #expect(known.allSatisfy { $0.placement == "waist" } && known.last?.orientation == .learnt)
        #expect(known.last?.label.map { network.labels[$0] } == "STANDING")
        let wrong = try decisions(ConfiguredWearing(up: .minusY))
        #expect(wrong[2].orientation == .configured && wrong[2].placement == nil)
        #expect(wrong.last?.label.map { network.labels[$0] } == "STANDING", "walking has shown it")
        #expect(try decisions(nil)[2].label == nil)
    }

    /// Whoever lies has an arm turned over for as long as he likes; nobody's trunk is upside down for a minute.
    @Test(arguments: [("wrist", KnownBy.learnt), ("waist", .unknown)])
    func aSensorOnAnArmMayBeUpsideDown(place: String, known: KnownBy) throws {
        let sets = try ["waist", "wrist"].map { try simulatedSet(people: 2, placement: $0, walk: $0 == "waist" ? "walk" : "downstairs") }
        let network = try trained(sets[0], sets[1])
        var recogniser = try Recogniser(network, rate: 50_000, block: 64), block = SampleBlock(capacity: 64), last: Decision?
        recogniser.use(ConfiguredWearing(placement: place))
        let wearer = SimulatedWearer(try SimulatedWearer.Script("walk=60,stand=120"))
        var taken = 0
        while try wearer.read(into: &block) {
            let isTurned = taken > 60 * 50
            taken += block.count
            recogniser.push(isTurned ? block.samples.map { -$0 } : block.samples, count: block.count) { last = $0 }
        }
        #expect(last?.orientation == known && last?.placement == place)
    }

    @Test func tenSecondsOfWalkingTellHowItIsWorn() throws {
        let network = try trained(try simulatedSet(people: 2))
        func samples(_ script: String) throws -> [Int16] {
            let source = SimulatedWearer(try SimulatedWearer.Script(script))
            return try #require(try Recorder(source, speed: .max).record("x", seconds: 10)).samples
        }
        let trial = try WearingTrial(try samples("walk=10"), rate: 50_000, network: network)
        #expect(trial.orientation.isKnown && trial.placement == "waist" && trial.orientation.up[0] > 0.9)
        let fault = #expect(throws: Fault.self) { _ = try WearingTrial(try samples("sit=10"), rate: 50_000, network: network) }
        #expect(try #require(fault).code == .badData)
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
        // As worn networks were before they had a forward direction.
        var graph = FloatGraph(input: FloatShape(channels: 98)), earlier = network
        graph.appendDense(FloatWeights(inputs: 98, outputs: 2, values: [Float](repeating: 0.1, count: 196)))
        let placement = try CalibratedGraph(graph, count: 1, row: { _ in [Float](repeating: 1, count: 98) }).quantised(
            QuantiserOptions(bits: 8, activations: .int16), ImportOptions(input: .features, labels: ["chest", "waist"], state: .fresh),
            path: "the network"
        ).network
        earlier.wearing = WearingNetworks(gait: try #require(network.wearing).gait, placement: placement)
        let fault = #expect(throws: Fault.self) { _ = try NetworkFile.encode(earlier) }
        #expect(try #require(fault).message.contains("an earlier version of gaitway"))
    }

    @Test func posturesTiltByAtMostWhatTheyMay() {
        func mean(_ window: [Int16]) -> [Double] {
            var sums = [0.0, 0.0, 0.0]
            for (index, value) in window.enumerated() { sums[index % 3] += Double(value) }
            return sums.map { $0 * 3 / Double(window.count) }
        }
        func product(_ left: [Double], _ right: [Double]) -> Double { zip(left, right).reduce(0) { $0 + $1.0 * $1.1 } }
        let window = (0..<384).map { Int16([100, -3000, 2500][$0 % 3] + $0 % 7) }, before = mean(window)
        var tilt = PostureTilt(seed: 1), cosines: [Double] = []
        for _ in 0..<2000 {
            let after = mean(tilt.turned(window, most: 1.0 / 6))
            #expect(abs(product(after, after) / product(before, before) - 1) < 2e-3)
            cosines.append(product(after, before) / (product(after, after) * product(before, before)).squareRoot())
        }
        // 30 degrees, and all below.
        #expect(cosines.min().map { (0.865...0.88).contains($0) } == true && cosines.max().map { $0 > 0.999 } == true)
        #expect(tilt.turned([Int16](repeating: 0, count: 384), most: 1) == [Int16](repeating: 0, count: 384))
        #expect(PostureTilt.most("STANDING", at: "waist") == 0 && PostureTilt.most("LAYING", at: "thigh") == 0)
    }

    @Test(arguments: [10, 400]) func ratesAtTheEndsOfWhatIsTakenAreLearntFrom(hertz: Int) throws {
        let directory = try simulatedSet(people: 2)
        try Files.write(Array("name,rate_hz,counts_per_g\nsimulated,\(hertz),4096\n".utf8), to: directory + "/set.csv")
        #expect(try WornSet(WornSet.Selection(directories: [directory])).people.count == 2)
    }

    @Test func nothingIsLearntFromAMinuteWithTooLittleGravity() throws {
        let directory = try simulatedSet(people: 2), path = directory + "/set.csv"
        func first() throws -> LabelledStream {
            let set = try RecordingSet(directory: directory)
            return try set.stream(of: try #require(set.entries.first))
        }
        var stream = try first()
        #expect(ScaleCheck([("simulated", stream)]).misscaled.isEmpty)
        // The walking alone lasts a minute; 0.8 of what it was.
        let all = stream.pieces
        stream.pieces[0].samples = stream.pieces[0].samples.map { Int16(Int($0) * 4 / 5) }
        let pieces = stream.pieces, check = ScaleCheck([("simulated", stream)]), dropped = check.misscaled
        #expect(dropped.count == 1 && dropped[0].hasPrefix("s1's walk at waist in simulated (0.8"), "\(dropped)")
        #expect(check.right.map(\.stream.pieces) == [Array(all.dropFirst())] && check.lost == ["WALKING"])
        // At +-1.25 g of a sensor the same would be right: its peaks are lost.
        var saturating = pieces[0]
        saturating.samples = saturating.samples.map { min(3000, max(-3000, $0)) }
        #expect(ScaleCheck.fault(pieces[0].stretches[0], of: pieces[0], rate: 50_000) != nil)
        #expect(ScaleCheck.fault(saturating.stretches[0], of: saturating, rate: 50_000) == nil)
        // Of another scale altogether, rest shows it; whatever else a person did is left out, too.
        for counts in [5120, 2048] {
            try Files.write(Array("name,rate_hz,counts_per_g\nsimulated,50,\(counts)\n".utf8), to: path)
            let whole = ScaleCheck([("simulated", try first())])
            #expect(whole.right.isEmpty && whole.misscaled.count == 1)
            #expect(whole.misscaled[0].hasPrefix("s1 at waist in simulated (") && whole.misscaled[0].hasSuffix(" g at rest)"))
        }
        let set = try RecordingSet(directory: directory), both = try set.entries.map { ("simulated", try set.stream(of: $0)) }
        #expect(ScaleCheck(both).misscaled == ["all of simulated (1.98 g at rest)"], "the scale is the set's")
        let fault = #expect(throws: Fault.self) { _ = try WornSet(WornSet.Selection(directories: [directory])) }
        #expect(try #require(fault).remedy?.contains("counts_per_g") == true)
        // Much too small, nobody's walking is found, and the reason is named.
        try Files.write(Array("name,rate_hz,counts_per_g\nsimulated,50,1000000\n".utf8), to: path)
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let network = try NetworkFile.load("/\(root)/board/models/activity.safetensors")
        let played = #expect(throws: Fault.self) { _ = try Evaluation.recordings([directory], Evaluation.Options(), network: network) }
        #expect(try #require(played).message.contains("at rest the sensor measures not 1 g: all of simulated (0.00 g at rest)"))
    }

    /// Of a label that names two activities, each is right; before, the first alone was.
    @Test func eitherOfTwoActivitiesIsRight() throws {
        let directory = try simulatedSet(people: 1), path = directory + "/labels.csv"
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let network = try NetworkFile.load("/\(root)/board/models/activity.safetensors")
        func measured(_ standing: String) throws -> RecordingScore {
            try Files.write(Array("activity,label\nwalk,WALKING\nsit,SITTING\nstand,\(standing)\nlie,LAYING\n".utf8), to: path)
            return try Evaluation.recordings([directory], Evaluation.Options(), network: network)
        }
        let plain = try measured("STANDING")
        for joint in ["RUNNING|STANDING", "STANDING|RUNNING"] {
            let score = try measured(joint)
            #expect(score.windows.accuracy == plain.windows.accuracy && score.events == plain.events, "\(joint)")
        }
        #expect(try measured("FALL").events.truths == plain.events.truths - 1, "nobody finds what the network does not know")
    }

    @Test func whatGoesWithAnotherActivityIsNamed() throws {
        let directory = try simulatedSet(people: 1)
        let labels = "activity,label\nwalk,WALKING\nsit,SITTING|LAYING\nstand,STANDING\nlie,SITTING|LAYING\n"
        try Files.write(Array(labels.utf8), to: directory + "/labels.csv")
        var selection = WornSet.Selection(directories: [directory])
        for (without, lost) in [([], []), (["SITTING"], ["LAYING"]), (["SITTING|LAYING"], [])] as [(Set<String>, [String])] {
            selection.without = without
            let set = try WornSet(selection)
            #expect(set.lost == lost && set.labels.count == (without.isEmpty ? 3 : 2))
        }
    }

    @Test(arguments: ["", "left\u{1b}[31m", String(repeating: "x", count: 65)])
    func whatAModelCannotCallAPlaceIsRefusedAtOnce(name: String) throws {
        let directory = try simulatedSet(people: 2, placement: name)
        let fault = try #require(throws: Fault.self) { _ = try WornSet(WornSet.Selection(directories: [directory])) }
        #expect(fault.code == .badData && fault.message.contains("index.csv:2: ") && !fault.message.contains("\u{1b}"))
    }

    @Test func profilesAreOfWhatPassesForWalking() throws {
        let directory = try simulatedSet(people: 2), set = try WornSet(WornSet.Selection(directories: [directory]))
        var random = RandomNumbers(seed: 1)
        let gait = try WearingTrainer(set, bits: 8).gait(&random), profiles = try WalkingProfiles(set, walking: gait)
        for wearing in set.wearings.indices {
            let profile = try #require(profiles.next(wearing, &random))
            // Upright, and moving.
            #expect(profile.count == NetworkInput.countWearing)
            #expect(profile[0] > 3500 && profile[NetworkInput.firstGait + 1] > 500, "\(profile)")
        }
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

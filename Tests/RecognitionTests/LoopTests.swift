import Support
import Testing

@testable import NeuralNetwork
@testable import Recognition
@testable import Sensing

/// The default model, found from this file's place in the checkout.
private func defaultModel() throws -> Network {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return try NetworkFile.load("/\(root)/board/models/activity.safetensors")
}

/// Gives prepared blocks, then fails like an unplugged sensor.
private final class Flaky: SampleSource {
    let name = "flaky", rate = 50_000, isLive = true
    var blocks: [(count: Int, gap: Bool)]
    init(_ blocks: [(Int, Bool)]) { self.blocks = blocks }

    func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        guard !blocks.isEmpty else { throw Fault(.sensorUnavailable, "unplugged") }
        (block.count, block.followsGap) = blocks.removeFirst()
        for i in 0..<block.count * 3 { block.samples[i] = i % 3 == 0 ? 4096 : 0 }
        return true
    }
}

// What a kernel's buffer gives: it wakes its reader for whole blocks, and keeps what the reader leaves.
private final class Buffered: SampleSource {
    let name = "buffered", rate: Int, isLive = true
    private let block: Int
    private(set) var wakes = 0
    /// Samples that have come, and that were read.
    private(set) var come = 0, taken = 0

    init(rate: Int, hop: Int) { (self.rate, block) = (rate, (hop * rate + 49_999) / 50_000) }

    func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        wakes += 1
        come = max(come, taken + self.block)
        // The first block tells whether samples have times.
        block.count = SampleBlock.part(of: self.block, missing: taken == 0 ? 0 : block.wanted)
        taken += block.count
        for index in 0..<block.count * 3 { block.samples[index] = index % 3 == 0 ? 4096 : 0 }
        return true
    }
}

@Suite struct LoopTests {
    /// A decision comes with the last sample that it needs, or the one after it, and wakes the processor once.
    @Test(arguments: [10_000, 12_500, 25_000, 26_000, 49_870, 50_000, 52_000, 62_500, 100_000, 104_000, 125_000, 400_000])
    func decisionsDoNotWaitForTheNextBlock(rate: Int) throws {
        let network = try defaultModel(), source = Buffered(rate: rate, hop: network.hop), seconds = 300
        // With how many samples each window is complete, pushed one by one.
        var ends: [Int] = [], frontEnd = try FrontEnd(rate: rate, length: network.window, hop: network.hop, early: true)
        for sample in 1...seconds * rate / 1000 { frontEnd.push([4096, 0, 0], count: 1) { _, _ in ends.append(sample) } }
        var loop = try ClassificationLoop(source: source, network: network), decisions = 0, latest = 0
        try loop.run(seconds: Double(seconds)) { _ throws(Fault) in
            latest = max(latest, source.come - ends[decisions])
            decisions += 1
        }
        #expect(latest <= 1, "\(latest) samples were there that the decision did not need")
        #expect(decisions >= 228 && source.wakes - decisions <= 5, "\(source.wakes) wake-ups, \(decisions) decisions")
    }

    private func activities(_ script: String, seconds: Double? = nil) throws -> [Activity] {
        var loop = try ClassificationLoop(source: try SourceSpecification("simulated:\(script)").open(), network: try defaultModel())
        var found: [Activity] = []
        try loop.run(speed: .max, seconds: seconds) { found.append($0) }
        return found
    }

    @Test(arguments: [
        ("stand", "STANDING"), ("sit", "SITTING"), ("lie", "LAYING"), ("walk", "WALKING"), ("upstairs", "WALKING_UPSTAIRS"),
        ("downstairs", "WALKING_DOWNSTAIRS"), ("run", "RUNNING"),
    ])
    func theSimulatedWearerIsUnderstood(_ step: String, _ label: String) throws {
        let found = try activities("seed=11,\(step)=60").dropFirst(2) // the filters settle
        #expect(found.count > 40 && found.filter { $0.smoothed == label }.count * 10 >= found.count * 9)
    }

    @Test func aDecisionEveryHop() throws {
        let found = try activities("stand=20", seconds: 10)
        #expect(found.map(\.end) == Array(stride(from: 128, through: 499, by: 64)))
        #expect(found.allSatisfy { activity in abs(activity.probabilities.reduce(0) { $0 + Int($1) } - 32768) < 40 })
    }

    @Test(arguments: [false, true]) func aReloadLosesNoDecision(_ isAnother: Bool) throws {
        var other = try defaultModel()
        if isAnother { other.version += 1 }
        var loop = try ClassificationLoop(source: try SourceSpecification("simulated:stand=20").open(), network: try defaultModel())
        var ends: [Int64] = []
        try loop.run(
            speed: .max, seconds: 10,
            between: { [other] loop throws(Fault) in
                if ends.count == 3 { try loop.use(other, smoothing: Smoothing(agreement: 1)) }
            }, sink: { ends.append($0.end) })
        #expect(ends == [128, 192, 256, 320, 384, 448] && loop.network.version == other.version)
    }

    @Test func noWindowStraddlesAGap() throws {
        // 100 samples, a gap, 100 samples: never 128 in a row.
        var loop = try ClassificationLoop(
            source: Flaky([(50, false), (50, false), (50, true), (50, false), (60, false)]), network: try defaultModel())
        var ends: [Int64] = []
        #expect(throws: Fault(.sensorUnavailable, "unplugged")) { try loop.run { ends.append($0.end) } }
        #expect(ends == [228])
    }

    @Test func stopsWhenAsked() throws {
        var loop = try ClassificationLoop(source: SimulatedWearer(.endless), network: try defaultModel()), count = 0
        try loop.run(speed: .max, stopping: { count >= 3 }) { _ in count += 1 }
        #expect(loop.windows == 3)
    }

    @Test func theSinksFaultEndsTheLoop() throws {
        var loop = try ClassificationLoop(source: SimulatedWearer(.endless), network: try defaultModel())
        #expect(throws: Fault(.failure, "closed")) { try loop.run(speed: .max) { _ throws(Fault) in throw Fault(.failure, "closed") } }
    }
}

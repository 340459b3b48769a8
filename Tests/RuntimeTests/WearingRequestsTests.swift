import NeuralNetwork
import Recognition
import Sensing
import Support
import Testing

@testable import Runtime

struct WearingRequestsTests {
    private static func network() throws -> Network {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try NetworkFile.load("/\(root)/board/models/activity.safetensors")
    }

    // From a source that does not know how it is worn.
    private static func loop(_ script: String) throws -> ClassificationLoop {
        let wearer = SimulatedWearer(try SimulatedWearer.Script(script))
        var block = SampleBlock(capacity: 8000)
        _ = try wearer.read(into: &block)
        let source = RecordedSource(Array(block.samples.prefix(block.count * 3)), rate: 50_000, name: script)
        return try ClassificationLoop(source: source, network: try network())
    }

    /// Plays a script and asks at some samples; what the loop knows at each of them, before and after, and at the end.
    private func knowledge(
        _ script: String, _ asked: [(at: Int64, request: RunStatus.WearingRequest?)]
    ) throws -> (known: [Orientation?], end: Orientation?, times: Int) {
        let status = RunStatus()
        var loop = try Self.loop(script), requests = WearingRequests(status), left = asked[...], known: [Orientation?] = []
        try loop.run(
            speed: .max,
            between: { loop throws(Fault) in
                guard let next = left.first, loop.samples >= next.at else { return }
                left.removeFirst()
                known.append(loop.orientation)
                if let request = next.request { status.ask(request) }
                requests.apply(to: &loop)
            }, sink: { requests.note($0.orientation) })
        #expect(left.isEmpty)
        return (known, loop.orientation, status.now.timesLearnt)
    }

    @Test func whatWasKnownCountsAgainWhereNobodyWalked() throws {
        let (known, end, times) = try knowledge("walk=40,stand=20", [(2200, .learn), (2600, .undo)])
        #expect(known[0]?.isKnown == true && known[1]?.isKnown == false)
        #expect(end == known[0])
        #expect(times == 1, "what counts again was not learnt again")
    }

    @Test func whatWasLearntSinceStays() throws {
        let (known, end, times) = try knowledge("walk=60", [(1500, .learn), (2900, .undo)])
        #expect(known[0]?.isKnown == true && known[1]?.isKnown == true && end?.isKnown == true)
        #expect(end?.windows == known[1]?.windows)
        #expect(times == 2)
    }

    @Test func whatWasKnownBeforeAnEarlierWalkIsGone() throws {
        // Known, learnt anew by walking; then asked for by two while nobody walks: the one that gives up first leaves it to the other.
        let (known, end, _) = try knowledge(
            "walk=80,stand=20", [(1000, .learn), (4200, .learn), (4400, .learn), (4600, .undo), (4700, nil), (4800, .undo)])
        #expect(known.map { $0?.isKnown } == [true, true, false, false, false, false])
        #expect(end == known[1] && end != known[0])
    }

    @Test func whoAskedMayBeGone() throws {
        // Asked for after 44 s of samples, and never undone: 40 s later it is not known yet, 112 s later it is.
        let (known, end, _) = try knowledge("walk=40,stand=130", [(2200, .learn), (4200, nil), (7800, nil)])
        #expect(known.map { $0?.isKnown } == [true, false, false])
        #expect(end == known[0])
    }

    @Test func withoutARequestNothingIsUndone() throws {
        let (known, end, _) = try knowledge("stand=20", [(500, .undo)])
        #expect(known[0]?.isKnown == false && end?.isKnown == false)
    }
}

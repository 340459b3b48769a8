import CFeatures
import NeuralNetwork
import Support
import Testing

@testable import Recognition

@Suite struct SmoothingTests {
    private func labels(_ smoothing: Smoothing, _ windows: [(String, Int16)]) -> [String] {
        var smoother = Smoother(smoothing)
        return windows.enumerated().map { smoother.take($1.0, probability: $1.1, end: Int64(64 * ($0 + 2))) }
    }

    @Test func twoWindowsMustAgree() {
        let sure: Int16 = 30_000
        let seen = labels(Smoothing(), [("a", sure), ("b", sure), ("a", sure), ("b", sure), ("b", sure), ("b", sure)])
        #expect(seen == ["a", "a", "a", "a", "b", "b"])
    }

    @Test func doubtIsUnknown() {
        let seen = labels(Smoothing(agreement: 1), [("a", 30_000), ("b", 16_383), ("b", 16_384)])
        #expect(seen == ["a", "unknown", "b"])
    }

    @Test func anActivityStartsWhereItWasFirstSeen() {
        var smoother = Smoother(Smoothing(agreement: 3))
        for (index, label) in ["a", "b", "b", "b", "b"].enumerated() {
            _ = smoother.take(label, probability: 30_000, end: Int64(100 + index))
        }
        #expect(smoother.label == "b" && smoother.since == 101)
    }

    @Test func timesGoOnAfterAGap() {
        var tracker = ActivityTracker(labels: ["a", "b"], smoothing: Smoothing())
        #expect(tracker.take(Decision(end: 128, label: 0, probabilities: [20_000, 12_000])).end == 128)
        tracker.restart(at: 1000)
        let next = tracker.take(Decision(end: 128, label: 1, probabilities: [2000, 30_000]))
        #expect(next.end == 1128 && next.smoothed == "b" && next.start == 1128)
    }
}

@Suite struct FrontEndTests {
    @Test func wrongShapesAreUsageFaults() {
        #expect(throws: Fault.self) { _ = try FrontEnd(rate: 5000).length }
        #expect(throws: Fault.self) { _ = try FrontEnd(length: 0).length }
        #expect(throws: Fault.self) { _ = try FrontEnd(length: 10, hop: 11).length }
    }

    /// Windows of the streaming front end are cuts of the whole recording's filtered samples.
    @Test func windowsAreCutsOfTheFilteredStream() throws {
        var random = RandomNumbers(seed: 8)
        let samples = (0..<900 * 3).map { _ in Int16(random.below(9000) - 4500) }
        let filtered = FrontEnd.filtered(samples)
        #expect(filtered.count == 899 * 3)
        var frontEnd = try FrontEnd(length: 100, hop: 30), ends: [Int] = []
        frontEnd.push(samples, count: 900) { total, end in
            #expect(total == Array(filtered[(end - 100) * 3..<end * 3]))
            ends.append(end)
        }
        #expect(ends == Array(stride(from: 100, through: 899, by: 30)))
        frontEnd.reset()
        frontEnd.push(samples, count: 101) { total, end in
            #expect(end == 100 && total == Array(filtered[0..<300]), "a reset forgets everything")
        }
    }

    /// An early front end shows the same filtered samples one sample later, after the first one twice: also after a reset.
    @Test func earlyWindowsNeedNoSampleBeyondTheirEnd() throws {
        var random = RandomNumbers(seed: 8)
        let samples = (0..<900 * 3).map { _ in Int16(random.below(9000) - 4500) }
        let filtered = FrontEnd.filtered(Array(samples[0..<3] + samples))
        var frontEnd = try FrontEnd(length: 100, hop: 30, early: true)
        for _ in 0..<2 {
            var ends: [Int] = []
            frontEnd.push(samples, count: 700) { total, end in
                #expect(total == Array(filtered[(end - 100) * 3..<end * 3]))
                ends.append(end)
            }
            #expect(ends == Array(stride(from: 100, through: 700, by: 30)))
            frontEnd.reset()
        }
    }
}

@Suite struct WearingFeatureTests {
    @Test func swiftAndCCountTheSame() {
        #expect(NetworkInput.countWearing == Int(GW_WEARING_FEATURES))
        #expect(NetworkInput.firstGait == Int(GW_UPRIGHT_FEATURES) && NetworkInput.countGait == Int(GW_GAIT_FEATURES))
    }
}

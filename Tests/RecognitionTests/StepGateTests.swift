@testable import Recognition
import Testing

struct StepGateTests {
    private let labels = ["WALKING", "STANDING"]

    private func counted(_ windows: [(label: String, steps: Int64)], labels: [String]? = nil) -> [Int64] {
        var gate = StepGate()
        return windows.map { gate.take($0.steps, activity($0.label, labels ?? self.labels)) }
    }

    private func activity(_ label: String, _ labels: [String]) -> Activity {
        Activity(
            end: 0, label: label, confidence: 32_767, smoothed: label, start: 0, labels: labels,
            probabilities: labels.map { $0 == label ? 32_767 : 0 }, window: [])
    }

    @Test func stepsOfAWalkCountOnceThreeWindowsWereOfIt() {
        #expect(counted([("STANDING", 2), ("WALKING", 3), ("WALKING", 2), ("WALKING", 3), ("WALKING", 2)]) == [0, 0, 0, 10, 2])
    }

    @Test func aWindowInTenThatLooksLikeWalkingCountsNothing() {
        let windows = (0..<60).map { (label: $0 % 10 == 0 ? "WALKING" : "STANDING", steps: Int64(2)) }
        #expect(counted(windows).allSatisfy { $0 == 0 })
    }

    @Test func whatWaitedForTooLongCountsNoMore() {
        let rest = [(label: String, steps: Int64)](repeating: ("STANDING", 0), count: 10)
        #expect(counted([("STANDING", 7)] + rest + [("WALKING", 1), ("WALKING", 1), ("WALKING", 1)]).last == 3)
    }

    @Test func beforeItIsKnownHowTheSensorIsWornTheChanceOfWalkingCounts() {
        func steps(_ walking: Double, _ orientation: KnownBy?) -> Int64 {
            var gate = StepGate()
            return (0..<5).reduce(0) { sum, _ in
                var activity = activity("unknown", labels)
                activity.probabilities = [Int16(walking * 32_768), Int16((1 - walking) * 32_768)]
                activity.orientation = orientation
                return sum + gate.take(2, activity)
            }
        }
        #expect(steps(0.5, .unknown) == 10 && steps(0.4, .unknown) == 0)
        #expect(steps(0.5, .learnt) == 0 && steps(0.5, nil) == 0)
    }

    @Test func aNetworkThatKnowsNoGaitLetsAllCount() {
        #expect(counted([("DESK", 2), ("DESK", 3)], labels: ["DESK", "BED"]) == [2, 3])
    }

    @Test func aRunWithHalfItsStepsIsASwingingArm() {
        #expect(ArmSwing.steps("RUNNING", at: "wrist", cadence: 80) == 2 && ArmSwing.steps("RUNNING", at: "wrist", cadence: 160) == 1)
        #expect(ArmSwing.steps("WALKING", at: "wrist", cadence: 80) == 1 && ArmSwing.steps("RUNNING", at: "wrist", cadence: nil) == 1)
        #expect(ArmSwing.steps("RUNNING", at: "waist", cadence: 80) == 1 && ArmSwing.steps("RUNNING", at: nil, cadence: 80) == 1)
    }
}

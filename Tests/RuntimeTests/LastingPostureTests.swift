import Testing

@testable import Recognition
@testable import Runtime

@Suite struct LastingPostureTests {
    private var activity = Activity(
        end: 0, label: "SITTING", confidence: 30_000, smoothed: "SITTING", start: 0, labels: ["SITTING"], probabilities: [30_000],
        window: [])

    /// Windows of 1.28 s, from `start` to `end` in seconds.
    private func seen(
        _ posture: inout LastingPosture, from start: Int64, to end: Int64, since: Int64, steps: Int64 = 0, movement: Int64 = 0
    ) {
        var activity = activity
        (activity.start, activity.steps, activity.movement) = (since * 50, steps, movement)
        for at in stride(from: start * 50 + 64, through: end * 50, by: 64) {
            activity.end = at
            posture.take(activity)
        }
    }

    @Test func aMinuteWithoutMovementLasts() {
        var posture = LastingPosture()
        seen(&posture, from: 0, to: 59, since: 0)
        #expect(!posture.lasts)
        seen(&posture, from: 59, to: 65, since: 0)
        #expect(posture.lasts)
    }

    @Test func anotherActivityBeginsAnew() {
        var posture = LastingPosture()
        seen(&posture, from: 0, to: 100, since: 0)
        seen(&posture, from: 100, to: 150, since: 100)
        #expect(!posture.lasts)
        seen(&posture, from: 150, to: 170, since: 100)
        #expect(posture.lasts)
    }

    @Test(arguments: [(Int64(1), Int64(0)), (0, 50_000)]) func stepsAndMovementEndIt(steps: Int64, movement: Int64) {
        var posture = LastingPosture()
        seen(&posture, from: 0, to: 100, since: 0)
        seen(&posture, from: 100, to: 102, since: 0, steps: steps, movement: movement)
        #expect(!posture.lasts)
        seen(&posture, from: 102, to: 150, since: 0)
        #expect(!posture.lasts)
    }
}

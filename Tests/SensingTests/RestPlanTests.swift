import Testing

@testable import Sensing

@Suite struct RestPlanTests {
    private let moving = 3000, still = 40, little = 800

    /// What the plan answers to blocks of 1.28 s that span that much, until it answers anything but to go on.
    private func answer(_ plan: inout RestPlan, _ range: Int, event: Bool = false, atMost count: Int = 4000) -> (RestPlan.Step, blocks: Int)
    {
        for block in 1...count {
            let step = plan.take(range: range, duration: 1_280_000_000) { event }
            if step != .goOn { return (step, block) }
        }
        return (.goOn, count)
    }

    /// A plan for ten seconds whose events came with movement.
    private func proved() -> RestPlan {
        var plan = RestPlan(after: 10_000_000_000)
        #expect(answer(&plan, still) == (.watch, blocks: 8))
        #expect(answer(&plan, moving, event: true) == (.stopWatching, blocks: 1))
        #expect(plan.trust == .proved)
        return plan
    }

    @Test func eventsAreTrustedOnceOneCameWithMovement() {
        var plan = proved()
        #expect(answer(&plan, still) == (.sleep, blocks: 8))
    }

    @Test func eventsThatDoNotComeWithMovementAreNeverTrusted() {
        var plan = RestPlan(after: 10_000_000_000)
        #expect(answer(&plan, still) == (.watch, blocks: 8))
        #expect(answer(&plan, moving) == (.stopWatching, blocks: 1))
        #expect(plan.trust == .refuted)
        #expect(answer(&plan, still) == (.goOn, blocks: 4000))
    }

    @Test func aMovementThatEventsMayMissProvesNothing() {
        var plan = RestPlan(after: 10_000_000_000)
        _ = answer(&plan, still)
        #expect(answer(&plan, little) == (.goOn, blocks: 4000))
        #expect(plan.trust == .watching)
    }

    @Test func eventsWhileNothingMovesMakeItWaitLonger() {
        var plan = RestPlan(after: 10_000_000_000)
        #expect(answer(&plan, still) == (.watch, blocks: 8))
        #expect(answer(&plan, still, event: true) == (.stopWatching, blocks: 1))
        #expect(answer(&plan, still) == (.watch, blocks: 16))
    }

    @Test func sleepsThatEndAtOnceComeLessOften() {
        var plan = proved(), blocks: [Int] = []
        for seconds: Int64 in [5, 5, 5, 5, 60] {
            blocks.append(answer(&plan, still).blocks)
            plan.woke(after: seconds * 1_000_000_000)
        }
        #expect(blocks == [8, 8, 8, 16, 32])
        #expect(answer(&plan, still) == (.sleep, blocks: 8), "a long sleep makes it as before")
    }

    @Test func whoWantsSamplesGetsThem() {
        var plan = RestPlan(after: nil)
        #expect(answer(&plan, still) == (.goOn, blocks: 4000))
        plan.after = 10_000_000_000
        #expect(answer(&plan, still) == (.watch, blocks: 8))
        plan.after = nil
        #expect(answer(&plan, still) == (.stopWatching, blocks: 1))
    }

    @Test func theCheapestCaptureComesFirst() {
        #expect([CaptureMode.polled, .fifo, .triggered].sorted() == [.fifo, .triggered, .polled])
        #expect(CaptureMode.fifo.next == .triggered && CaptureMode.triggered.next == .polled)
    }
}

import HubProtocol
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Fleet

/// A hub that answers as it is told, one answer after the other; nil is a good one.
private final class FakeHub: HeartbeatReceiver, EventReceiver {
    let answers: Mutex<[Fault?]>
    let beats = Mutex(0)
    let interval = Mutex<Double?>(nil)
    let rests = Mutex(0.0)
    var rest: Double { rests.withLock { $0 } }

    init(_ answers: [Fault?] = []) { self.answers = Mutex(answers) }

    var heartbeatInterval: Double? { interval.withLock { $0 } }
    var eventInterval: Double? { heartbeatInterval }

    private func next() throws(Fault) {
        let answer: Fault? = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let answer { throw answer }
    }

    func heartbeat(_ beat: Heartbeat) async throws(Fault) -> HeartbeatAnswer {
        beats.withLock { $0 += 1 }
        try next()
        return HeartbeatAnswer(["updates": ["activity": "3"]])
    }

    func send(_ queue: EventQueue) async throws(Fault) {
        try next()
        while let (name, _) = queue.batch() { queue.sent(name) }
    }
}

private let down = Fault(.temporary, "the hub cannot be reached")

@Suite struct HeartbeatServiceTests {
    @Test func failuresMakeBeatsRarerAndOneGoodBeatMakesThemUsual() async {
        let hub = FakeHub([nil, down, down, down, down, down, down, nil]), answers = Mutex<[HeartbeatAnswer]>([])
        let service = HeartbeatService(
            to: hub, interval: 100, log: quiet, answered: { answer in answers.withLock { $0.append(answer) } }, status: { Heartbeat() })
        var rounds = HeartbeatService.Rounds()
        for expected in [100, 200, 400, 800, 1600, 1600, 1600, 100] as [Double] {
            let seconds = await service.beat(&rounds)
            #expect((expected * 0.9...expected * 1.1).contains(seconds), "\(seconds), not \(expected)")
        }
        #expect(hub.beats.withLock { $0 } == 8 && answers.withLock { $0.count } == 2)
        #expect(answers.withLock { $0.last?.updates } == ["activity": "3"])
    }

    /// A wearer who lies on the floor waits for no hour.
    @Test func aFallThatIsNotOverIsToldAgainSoon() async {
        let hub = FakeHub([nil, down, down, down, down, down, nil]), fall = Mutex<FallState?>(nil)
        let service = HeartbeatService(
            to: hub, interval: 300, log: quiet,
            status: {
                var beat = Heartbeat()
                beat.fall = fall.withLock { $0 }
                return beat
            })
        var rounds = HeartbeatService.Rounds()
        for (state, expected) in [(nil, 300), (nil, 600), (.impact, 30), (.alarm, 30), (.recovered, 3600), (.alarm, 30), (.alarm, 300)]
            as [(FallState?, Double)]
        {
            fall.withLock { $0 = state }
            let seconds = await service.beat(&rounds)
            #expect((expected * 0.9...expected * 1.1).contains(seconds), "\(seconds), not \(expected)")
        }
    }

    @Test func aHubThatAnswersWithTooMuchWaits() async {
        let hub = FakeHub(), service = HeartbeatService(to: hub, interval: 1, log: quiet, status: { Heartbeat() })
        var rounds = HeartbeatService.Rounds()
        for rest in [0.0, 500, 20, 0] {
            hub.rests.withLock { $0 = rest }
            let seconds = await service.beat(&rounds)
            #expect(rest == 0 ? seconds < 2 : seconds == rest)
            #expect(rounds.isResting == (rest > 0))
        }
    }

    @Test func theHubsIntervalCountsAndAnHourIsTheMost() async {
        let hub = FakeHub([nil, down, down, down, down]),
            service = HeartbeatService(to: hub, interval: 100, log: quiet, status: { Heartbeat() })
        hub.interval.withLock { $0 = 900 }
        var rounds = HeartbeatService.Rounds()
        for expected in [900, 1800, 3600, 3600, 3600] as [Double] {
            let seconds = await service.beat(&rounds)
            #expect((expected * 0.9...expected * 1.1).contains(seconds), "\(seconds), not \(expected)")
        }
    }

    // Without the trigger it would wait for a day.
    @Test(.timeLimit(.minutes(15))) func aTriggeredBeatGoesAtOnce() async {
        let trigger = HeartbeatTrigger()
        trigger.fire()
        await HeartbeatTrigger.sleep(86_400, unless: trigger)
        #expect(!Task.isCancelled)
    }
}

@Suite struct EventServiceTests {
    private func place() -> String { "/tmp/gaitway-events-\(UInt64.random(in: 0...UInt64.max))" }

    @Test func whatCannotBeSentWaitsOnTheDisk() async throws {
        let place = place(), queue = EventQueue(in: place), service = EventService(FakeHub([down, down, nil]), queue: queue, log: quiet)
        service.take(activity: "WALKING", confidence: 16384)
        var fault = RepeatedFault()
        #expect(await service.send(&fault) && fault.isPresent)
        #expect(EventQueue(in: place).count == 1)
        #expect(await service.send(&fault))
        #expect(await service.send(&fault) && !fault.isPresent && queue.count == 0)
    }

    @Test func aFallOutlastsAFullQueue() {
        let queue = EventQueue(in: place())
        queue.add(TelemetryEvent("fall", at: 1))
        for time in 0...Int64(EventQueue.limit) { queue.add(TelemetryEvent("activity", at: time)) }
        #expect(queue.holdsFall && queue.count == EventQueue.limit && queue.dropped == 2)
    }

    @Test func aHubWithoutTelemetryIsLeftAlone() async {
        let service = EventService(FakeHub([Fault(.noInput, "HTTP 404")]), queue: EventQueue(in: place()), log: quiet)
        var fault = RepeatedFault()
        #expect(await !service.send(&fault))
    }

    // Without that it would wait for a day. Five seconds in real time.
    @Test(.timeLimit(.minutes(2))) func aFallThatCannotBeSentIsSentAgainSoon() async throws {
        let hub = FakeHub([down, nil]), queue = EventQueue(in: place()), service = EventService(hub, queue: queue, log: quiet)
        hub.interval.withLock { $0 = 86_400 }
        service.take(fall: .alarm, at: 1)
        let running = Task { await service.run() }
        while !hub.answers.withLock(\.isEmpty) || queue.count > 0 { try await Task.sleep(for: .milliseconds(20)) }
        running.cancel()
        await running.value
    }
}

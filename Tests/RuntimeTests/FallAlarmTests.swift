import Glibc
import HubProtocol
import Logging
import Recognition
import Support
import Synchronization
import Testing

@testable import Runtime

@Suite struct FallAlarmTests {
    private func alarm() -> FallAlarm { FallAlarm(confirm: 10_000, cancelWindow: 20_000) }

    @Test func helpIsCalledWhenNobodyGetsUpOrCancels() {
        var alarm = alarm()
        #expect(alarm.take(.impact, impact: 1000, now: 2500) == .impact)
        #expect(alarm.tick(60_000) == nil, "only the samples tell that somebody stays down")
        #expect(alarm.take(.fallen, impact: 1000, now: 11_500) == .fallen)
        #expect(alarm.tick(31_000) == nil)
        #expect(alarm.tick(31_500) == .alarm && alarm.tick(99_999) == nil)
        #expect(alarm.take(.impact, impact: 70_000, now: 71_500) == nil, "the first alarm stands")
        #expect(alarm.take(.recovered, impact: 1000, now: 80_000) == .recovered && !alarm.isOpen)
        #expect(alarm.take(.impact, impact: 90_000, now: 91_500) == .impact && alarm.impact == 90_000)
    }

    @Test func gettingUpOrCancellingEndsIt() {
        for end in [FallState.recovered, .cancelled] {
            var alarm = alarm()
            _ = alarm.take(.impact, impact: 1000, now: 2500)
            _ = alarm.take(.fallen, impact: 1000, now: 11_500)
            #expect((end == .cancelled ? alarm.cancel() : alarm.take(.recovered, impact: 1000, now: 15_000)) == end)
            #expect(alarm.tick(99_999) == nil && alarm.cancel() == nil)
        }
    }

    @Test func aRestartGoesOn() {
        // Confirmed before: help is called when its time has come, also while the program was away.
        var fallen = alarm()
        fallen.restore(.fallen, impact: 1000, fallen: 11_500)
        #expect(fallen.tick(40_000) == .alarm)
        // Only hit before: nobody saw the samples since.
        var hit = alarm()
        hit.restore(.impact, impact: 1000, fallen: 0)
        #expect(hit.tick(9_000) == nil && hit.tick(20_000) == .fallen && hit.tick(39_000) == nil && hit.tick(40_000) == .alarm)
        // Who walks is up.
        var up = alarm()
        up.restore(.impact, impact: 1000, fallen: 0)
        #expect(up.take(activity: "SITTING") == nil && up.take(activity: "WALKING") == .recovered)
        var over = alarm()
        over.restore(.cancelled, impact: 1000, fallen: 0)
        #expect(!over.isOpen && over.state == nil)
    }

    @Test func aClockSetBackDoesNotHoldHelpBack() {
        var alarm = alarm()
        _ = alarm.take(.impact, impact: 1_000_000, now: 1_002_500)
        _ = alarm.take(.fallen, impact: 1_000_000, now: 1_011_500)
        #expect(alarm.tick(5_000) == .alarm)
    }
}

@Suite struct FallWatchTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func whatIsKnownIsKeptAndTold() throws {
        let place = "/tmp/gaitway-\(getpid())-falls-\(UInt32.random(in: 0 ... .max))", told: Mutex<[FallState]> = Mutex([])
        let watch = FallWatch(in: place, confirm: 10, cancel: 20, log: log)
        watch.tell { report in told.withLock { $0.append(report.state) } }
        #expect(watch.latest == nil)
        #expect(throws: Fault.self) { try watch.cancel() }
        watch.take(FallEvent(kind: .impact, impact: 100, at: 176), age: 1.5, now: 50_000)
        watch.take(FallEvent(kind: .fallen, impact: 100, at: 600), age: 10, now: 58_500)
        #expect(watch.latest == .init(state: .fallen, at: 48_500))
        #expect(try Files.isPrivate("\(place)/fall.json"))
        let second = FallWatch(in: place, confirm: 10, cancel: 20, log: log)
        #expect(second.latest == watch.latest)
        second.take(activity: "LAYING", now: 100_000)
        #expect(second.latest?.state == .alarm)
        try second.cancel()
        #expect(second.latest?.state == .cancelled)
        #expect(told.withLock { $0 } == [.impact, .fallen])
        for torn in ["", "{", "{\"state\":\"fallen\"}", "{\"state\":\"up\",\"impact\":1,\"fallen\":1e300}"] {
            try Files.write(Array(torn.utf8), to: "\(place)/fall.json")
            #expect(FallWatch(in: place, confirm: 10, cancel: 20, log: log).latest == nil)
        }
    }
}

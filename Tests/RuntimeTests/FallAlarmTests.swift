import Glibc
import History
import HubProtocol
import Logging
import Recognition
import Support
import Synchronization
import Testing

@testable import Runtime

// A wall clock far from the other one.
private let began: Int64 = 1_795_423_000_000
private func at(_ milliseconds: Int64, clock: Int64 = began) -> DayTracker.Moment {
    .init(wall: clock + milliseconds, elapsed: milliseconds)
}

@Suite struct FallAlarmTests {
    private func alarm() -> FallAlarm { FallAlarm(confirm: 10_000, cancelWindow: 20_000) }

    @Test func helpIsCalledWhenNobodyGetsUpOrCancels() {
        var alarm = alarm()
        #expect(alarm.take(.impact, impact: at(1000), now: at(2500)) == .impact)
        #expect(alarm.tick(at(12_000)) == nil, "the samples tell whether somebody stays down")
        #expect(alarm.take(.fallen, impact: at(1000), now: at(11_500)) == .fallen)
        #expect(alarm.tick(at(31_000)) == nil)
        #expect(alarm.tick(at(31_500)) == .alarm && alarm.tick(at(99_999)) == nil)
        #expect(alarm.take(.impact, impact: at(70_000), now: at(71_500)) == nil, "the first alarm stands")
        #expect(alarm.take(.recovered, impact: at(1000), now: at(80_000)) == .recovered && !alarm.isOpen)
        #expect(alarm.take(.impact, impact: at(90_000), now: at(91_500)) == .impact && alarm.impact == at(90_000))
    }

    @Test func samplesThatStopComingMakeNoOneGetUp() {
        var alarm = alarm()
        _ = alarm.take(.impact, impact: at(1000), now: at(2500))
        #expect(alarm.tick(at(16_000)) == .fallen && alarm.tick(at(35_999)) == nil && alarm.tick(at(36_000)) == .alarm)
    }

    @Test func gettingUpOrCancellingEndsIt() {
        for end in [FallState.recovered, .cancelled] {
            var alarm = alarm()
            _ = alarm.take(.impact, impact: at(1000), now: at(2500))
            _ = alarm.take(.fallen, impact: at(1000), now: at(11_500))
            #expect((end == .cancelled ? alarm.cancel() : alarm.take(.recovered, impact: at(1000), now: at(15_000))) == end)
            #expect(alarm.tick(at(99_999)) == nil && alarm.cancel() == nil)
        }
    }

    @Test func anAlarmThatNobodyEndedDoesNotHideTheNextFall() {
        var alarm = alarm(), later = alarm
        _ = alarm.take(.impact, impact: at(0), now: at(1500))
        _ = alarm.take(.fallen, impact: at(0), now: at(10_500))
        #expect(alarm.tick(at(40_000)) == .alarm)
        later = alarm
        #expect(alarm.take(activity: "WALKING", now: at(600_000)) == nil, "the samples tell that somebody is up")
        #expect(alarm.take(activity: "WALKING", now: at(3_700_000)) == .recovered)
        #expect(later.take(.impact, impact: at(3_700_000), now: at(3_701_500)) == .impact)
    }

    @Test func aRestartGoesOn() {
        func restored(_ state: FallState, impact: Int64 = began - 30_000, fallen: Int64 = began - 20_000) -> FallAlarm {
            var alarm = alarm()
            alarm.restore(state, impact: impact, fallen: fallen, now: at(5_000, clock: began - 5_000))
            return alarm
        }
        // Confirmed before: help is called when its time has come, also while the program was away.
        var fallen = restored(.fallen, fallen: began - 19_000)
        #expect(fallen.tick(at(5_500)) == nil && fallen.tick(at(6_001)) == .alarm)
        // Only hit before: nobody saw the samples since.
        var hit = restored(.impact, impact: began - 5_000)
        #expect(hit.tick(at(9_000)) == nil && hit.tick(at(10_000)) == .fallen && hit.tick(at(30_000)) == .alarm)
        // Who walks is up.
        var up = restored(.impact)
        #expect(up.take(activity: "SITTING", now: at(6000)) == nil && up.take(activity: "WALKING", now: at(7000)) == .recovered)
        // A board without a battery clock starts in the past.
        var ahead = restored(.fallen, impact: began + 290_000, fallen: began + 300_000)
        #expect(ahead.tick(at(5_500)) == nil && ahead.tick(at(60_000)) == .alarm)
        // A clock that was set between the blow and now: the blow seems to be of another year.
        for impact in [began - 90_000_000, 5, .min] {
            var set = restored(.fallen, impact: impact, fallen: began - 19_000)
            #expect(set.tick(at(5_500)) == nil && set.tick(at(6_001)) == .alarm)
        }
        // What is over, long ago, or nonsense.
        for over in [
            restored(.cancelled), restored(.impact, impact: began - 3_700_000),
            restored(.fallen, impact: began - 90_000_000, fallen: began - 89_000_000),
            restored(.fallen, impact: 0, fallen: .min), restored(.alarm, impact: .max, fallen: .max),
        ] {
            var over = over
            #expect(!over.isOpen && over.state == nil && over.tick(at(99_999_999)) == nil)
        }
    }

    @Test func aWallClockThatIsSetNeitherHastensNorDelays() {
        var alarm = alarm()
        _ = alarm.take(.impact, impact: at(0), now: at(1500))
        _ = alarm.take(.fallen, impact: at(0), now: at(10_500))
        #expect(alarm.tick(at(20_000, clock: began + 86_400_000)) == nil && alarm.tick(at(20_000, clock: 0)) == nil)
        #expect(alarm.tick(at(30_500, clock: 0)) == .alarm)
    }
}

@Suite struct FallWatchTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func watch(_ place: String, now: DayTracker.Moment) -> FallWatch {
        FallWatch(in: place, confirm: 10, cancel: 20, now: now, log: log)
    }

    @Test func whatIsKnownIsKeptAndTold() throws {
        let place = "/tmp/gaitway-\(getpid())-falls-\(UInt32.random(in: 0 ... .max))", told: Mutex<[FallState]> = Mutex([])
        let watch = watch(place, now: at(0))
        watch.tell { report in told.withLock { $0.append(report.state) } }
        #expect(watch.latest == nil && !watch.mayChange)
        #expect(throws: Fault.self) { try watch.cancel() }
        watch.take(FallEvent(kind: .impact, impact: 100, at: 176), age: 1.5, now: at(50_000))
        watch.take(FallEvent(kind: .fallen, impact: 100, at: 600), age: 10, now: at(58_500))
        #expect(watch.latest == .init(state: .fallen, at: began + 48_500) && watch.mayChange)
        #expect(try Files.isPrivate("\(place)/fall.json"))
        let second = self.watch(place, now: at(0, clock: began + 60_000))
        #expect(second.latest == watch.latest)
        second.tick(at(18_000, clock: began + 60_000))
        #expect(second.latest?.state == .fallen)
        second.tick(at(20_000, clock: began + 60_000))
        #expect(second.latest?.state == .alarm)
        try second.cancel()
        #expect(second.latest?.state == .cancelled)
        #expect(told.withLock { $0 } == [.impact, .fallen])
    }

    @Test func aFileThatIsNoneIsPassedOver() throws {
        let place = "/tmp/gaitway-\(getpid())-falls-\(UInt32.random(in: 0 ... .max))"
        try Files.makeDirectory(place)
        for torn in [
            "", "{", "{\"state\":\"fallen\"}", "{\"state\":\"up\",\"impact\":1,\"fallen\":1e300}",
            "{\"state\":\"fallen\",\"impact\":0,\"fallen\":-9223372036854775808}", "{\"state\":\"impact\",\"impact\":9e18,\"fallen\":0}",
        ] {
            try Files.write(Array(torn.utf8), to: "\(place)/fall.json")
            let found = watch(place, now: at(0))
            found.tick(at(1_000_000))
            #expect(found.latest == nil)
        }
        try Files.remove("\(place)/fall.json")
        #expect(mkfifo("\(place)/fall.json", 0o600) == 0)
        #expect(watch(place, now: at(0)).latest == nil, "a pipe is not waited for")
    }
}

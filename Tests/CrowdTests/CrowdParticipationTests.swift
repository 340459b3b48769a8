import CrowdLearning
import Settings
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Crowd

/// Sends so many gradients, then throws what it is told to.
private final class FakeParticipant: CrowdParticipant {
    private let count: Int
    private let end: Fault?
    private let stop: Stop
    let sent = Mutex(0)

    init(_ count: Int, _ stop: Stop, end: Fault? = nil) { (self.count, self.stop, self.end) = (count, stop, end) }

    func train(rounds: Int, progress: (CrowdClient.Report) -> Void, pace: (() -> Void)?) throws(Fault) -> CrowdClient.Report {
        var report = CrowdClient.Report()
        while report.counted < count {
            report.counted += 1
            sent.withLock { $0 = report.counted }
            progress(report)
            if report.counted == count { stop.raise() }
            pace?()
        }
        if let end { throw end }
        return report
    }
}

@Suite struct CrowdParticipationTests {
    private func clock(_ hour: Int64) -> ServiceClock {
        // A moment whose local hour is `hour`, whatever the time zone.
        var seconds: Int64 = 1_800_000_000
        while CalendarTime(local: seconds).hour != Int(hour) { seconds += 1800 }
        return ServiceClock(sinceBoot: { 0 }, wall: { [seconds] in seconds * 1_000_000_000 })
    }

    private func service(
        _ settings: SettingValues.Crowd, at hour: Int64 = 12, board: CrowdParticipation.BoardState = .init(),
        participant: (Stop) -> FakeParticipant = { FakeParticipant(0, $0) }
    ) -> (CrowdParticipation, FakeParticipant) {
        let stop = Stop(), made = participant(stop)
        return (CrowdParticipation(made, settings, stop: stop, log: quiet, clock: clock(hour)) { board }, made)
    }

    @Test func conditions() throws {
        var settings = SettingValues.Crowd()
        settings.quietHours = try QuietHours("07:00-23:00")
        #expect(service(settings, at: 12).0.obstacle == "these are quiet hours")
        #expect(service(settings, at: 3).0.obstacle == nil)
        settings.quietHours = nil
        #expect(service(settings, board: .init(battery: 79, isCharging: false)).0.obstacle?.contains("79 %") == true)
        #expect(service(settings, board: .init(battery: 79, isCharging: true)).0.obstacle == nil)
        #expect(service(settings, board: .init(battery: 80, isCharging: false)).0.obstacle == nil)
        #expect(service(settings, board: .init(temperature: 70.5)).0.obstacle?.contains("degrees") == true)
        settings.maxTemperature = 80
        #expect(service(settings, board: .init(temperature: 70.5)).0.obstacle == nil)
    }

    @Test func gradientsAreCountedForTheStatus() throws {
        var settings = SettingValues.Crowd()
        settings.interval = 0
        let (service, participant) = service(settings) { FakeParticipant(3, $0) }
        try service.run()
        #expect(participant.sent.withLock { $0 } == 3)
        #expect(service.status["counted"]?.number == 3 && service.status["doing"]?.text == "the board learns with others")
    }

    @Test func whatPeopleHaveToMendEndsIt() {
        var settings = SettingValues.Crowd()
        settings.interval = 0
        let (service, _) = service(settings) { FakeParticipant(1, $0, end: Fault(.permission, "the privacy budget is spent")) }
        #expect(throws: Fault.self) { try service.run() }
        #expect(service.status["doing"]?.text?.contains("the privacy budget is spent") == true)
    }
}

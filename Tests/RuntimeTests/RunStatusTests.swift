import Support
import TestHelpers
import Testing

@testable import Runtime

@Suite struct RunStatusTests {
    @Test func anActivityIsForgottenWhenNoWindowComes() {
        let time = FakeTime(seconds: 5), status = RunStatus(clock: time.clock)
        status.note { $0.hop = 64 }
        #expect(status.now.activity == nil)
        status.noteWindow("WALKING", confidence: 20_000, rate: 50_010)
        time.pass(9)
        #expect(status.now.activity == "WALKING" && status.now.rate == 50_010 && status.now.windows == 1)
        time.pass(2)
        #expect(status.now.activity == nil && status.now.rate == nil && status.now.lastWindow?.at == 1_800_000_000_000_000_000)
        status.noteWindow("SITTING", confidence: 20_000, rate: nil)
        #expect(status.now.activity == "SITTING" && status.uptime == 11)
    }

    @Test func windowsMayWaitForEachOther() {
        let time = FakeTime(seconds: 5), status = RunStatus(clock: time.clock)
        status.note { ($0.hop, $0.latency) = (64, 20_000_000_000) }
        status.noteWindow("SITTING", confidence: 20_000, rate: nil)
        time.pass(29)
        #expect(status.now.activity == "SITTING")
        time.pass(2)
        #expect(status.now.activity == nil)
    }

    @Test func longWindowsArePatientlyWaitedFor() {
        let time = FakeTime(seconds: 5), status = RunStatus(clock: time.clock)
        status.note { $0.hop = 512 } // 10.24 s
        status.noteWindow("WALKING", confidence: 20_000, rate: nil)
        time.pass(50)
        #expect(status.now.activity == "WALKING")
        time.pass(2)
        #expect(status.now.activity == nil)
    }

    @Test func theLastErrorStays() {
        let status = RunStatus()
        status.failed("one")
        status.failed("two")
        #expect(status.now.lastError?.message == "two")
    }
}

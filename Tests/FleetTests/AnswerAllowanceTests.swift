import TestHelpers
import Testing

@testable import Fleet

@Suite struct AnswerAllowanceTests {
    @Test func anHonestHubNeverWaits() {
        let time = FakeTime(), allowance = AnswerAllowance(clock: time.clock)
        // A beat each second for a day.
        for _ in 0..<86_400 {
            allowance.spend(900)
            #expect(allowance.rest == 0)
            time.pass(1)
        }
    }

    @Test func whoSendsWithoutEndGetsSoMuchAnHour() {
        let time = FakeTime(), allowance = AnswerAllowance(clock: time.clock), answer = (16 << 10) + AnswerAllowance.onItsWay
        var sent = 0, seconds: Int64 = 0
        while seconds < 3600 {
            allowance.spend(answer)
            sent += answer
            let wait = max(1, Int64(allowance.rest.rounded(.up)))
            time.pass(wait)
            seconds += wait
        }
        #expect(sent > AnswerAllowance.anHour && sent <= 2 * AnswerAllowance.anHour + answer)
    }
}

import Testing

@testable import CrowdServer

@Suite struct FairShareTests {
    @Test func whoSendsFasterThanAllOthersIsHeldBack() {
        var shares = FairShare(), counted = 0
        for turn in 0..<2000 {
            // One of twenty sends every other check-in.
            let uid = turn % 2 == 0 ? "fast" : "user \(turn / 2 % 19)"
            guard shares.allows(uid) else { continue }
            shares.note(uid)
            if uid == "fast" { counted += 1 }
        }
        #expect(counted > 50 && counted < 150, "\(counted) of a thousand")
    }

    @Test func aFewMayDoAllOfIt() {
        var shares = FairShare()
        for turn in 0..<1000 {
            let uid = turn % 10 == 0 ? "slow" : "fast"
            #expect(shares.allows(uid))
            shares.note(uid)
        }
    }

    @Test func whoSendsAsOftenAsTheOthersIsNeverHeldBack() {
        var shares = FairShare()
        for turn in 0..<3000 {
            let uid = "user \(turn % 30)"
            #expect(shares.allows(uid))
            shares.note(uid)
        }
    }
}

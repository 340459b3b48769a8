import Testing

@testable import Sensing

@Suite struct SlowRestTests {
    @Test func looksComeLaterAndLater() {
        var rest = SlowRest()
        rest.begin(isSlow: true)
        #expect((0..<6).map { _ in rest.nextLook() } == [30_000, 60_000, 120_000, 240_000, 360_000, 360_000])
        rest.begin(isSlow: true)
        #expect(rest.nextLook() == 30_000, "nothing is proved yet")
    }

    @Test func anEventProvesTheLowRate() {
        var rest = SlowRest()
        rest.begin(isSlow: true)
        rest.end(byEvent: true)
        rest.begin(isSlow: true)
        #expect(rest.trust == .proved && rest.nextLook() == 360_000)
        rest.end(byEvent: false)
        #expect(rest.trust == .proved, "a change too slow for an event")
    }

    @Test func aMovementWithoutAnEventRefutesIt() {
        var rest = SlowRest()
        rest.begin(isSlow: true)
        rest.end(byEvent: false)
        #expect(rest.trust == .refuted)
        rest.begin(isSlow: false)
        #expect(rest.nextLook() == 360_000)
    }
}

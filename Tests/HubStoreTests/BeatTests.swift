import Support
import Testing

@testable import HubStore

@Suite struct BeatTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    /// Two who ask at once: the one who asks second must not find the beat in neither place.
    @Test func aBeatOnItsWayToTheFileIsSeenByAll() async throws {
        let device = try #require(try await store.register(org: "o", identifier: "board", info: "{}", now: 1000)).id
        for round in 1...200 {
            let seen = 1000 + Double(round)
            try await store.note(Beat(seen: seen, body: "{}", modelVersion: round), of: device)
            async let first = store.device(device, org: "o"), second = store.device(device, org: "o"),
                third = store.fleet(org: "o", now: seen)
            let found = try await (first, second, third)
            #expect(found.0?.beat?.seen == seen && found.1?.beat?.seen == seen && found.2.online == 1)
        }
        #expect(store.beats.withLock { $0.isEmpty })
    }
}

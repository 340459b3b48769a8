import Support
import Testing

@testable import HubStore

@Suite struct AttentionTests {
    let store: HubStore

    init() throws { store = try Store.temporary() }

    private func board(_ name: String, _ beat: String? = nil, seen: Double = 1000) async throws {
        let device = try #require(try await store.register(org: "o", identifier: name, info: "{}", now: 1000)).id
        if let beat { store.note(Beat(seen: seen, body: beat, modelVersion: nil), of: device) }
    }

    @Test func fallsComeFirstAndWhatIsWellIsNotThere() async throws {
        try await board("well", #"{"metadata":{"battery_level":15,"temperature_celsius":75,"spool_files":100,"fall":"recovered"}}"#)
        try await board("flat", #"{"metadata":{"battery_level":14}}"#)
        try await board("hot", #"{"metadata":{"temperature_celsius":75.5,"spool_files":101}}"#)
        try await board("never")
        try await board("away", "{}", seen: -10_000)
        try await board("wrong", #"{"last_error_code":"69"}"#)
        try await board("fallen", #"{"metadata":{"fall":"alarm","battery_level":3}}"#)
        let found = try await store.attention(org: "o", now: 1000)
        #expect(
            found.boards.map { "\($0.device.identifier): \($0.reasons.map(\.rawValue).joined(separator: " "))" } == [
                "fallen: fall low_battery", "never: never_seen", "away: offline", "flat: low_battery", "hot: hot spool", "wrong: error",
            ])
        #expect(found.total == 6 && found.counts[.lowBattery] == 2 && found.counts[.refused] == 0)
        let first = try await store.attention(org: "o", now: 1000, limit: 1), others = try await store.attention(org: "p", now: 1000)
        #expect(first.boards.count == 1 && first.total == 6 && others.total == 0)
    }

    /// Boards of other makes say what they like.
    @Test func whatIsNoNumberIsNotCompared() async throws {
        try await board(
            "odd", #"{"metadata":{"battery_level":"low","temperature_celsius":"hot","spool_files":{},"fall":7},"last_error_code":5}"#)
        try await board("empty", #"{"metadata":null,"last_error_code":""}"#)
        #expect(try await store.attention(org: "o", now: 1000).total == 0)
    }

    @Test func whatIsRevokedNeedsNothing() async throws {
        try await board("gone")
        let device = try #require(try await store.devices(org: "o").devices.first)
        _ = try await store.revoke(device: device.id, org: "o")
        #expect(try await store.attention(org: "o", now: 1000).total == 0)
    }

    @Test(arguments: [
        (DeviceOrder.name, "a b c"), (.seen, "b a c"), (.battery, "c a b"), (.temperature, "a c b"), (.activity, "c a b"),
        (.waiting, "b a c"),
    ])
    func inOrder(_ order: DeviceOrder, _ names: String) async throws {
        try await board("b", #"{"metadata":{"spool_files":3}}"#, seen: 3000)
        try await board("c", #"{"metadata":{"battery_level":9,"temperature_celsius":20,"activity":"SITTING"}}"#, seen: 1000)
        try await board("a", #"{"metadata":{"battery_level":80,"temperature_celsius":40.5,"activity":"WALKING"}}"#, seen: 2000)
        let found = try await store.devices(org: "o", order: order).devices.map(\.identifier)
        // Of those that have nothing to be ordered by, nothing is said but that they come last.
        let isWaiting = order == .waiting
        #expect(isWaiting ? found.first == "b" : found.joined(separator: " ") == names)
    }
}

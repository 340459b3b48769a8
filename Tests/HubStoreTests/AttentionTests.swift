import Support
import Testing

@testable import HubStore

@Suite struct AttentionTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    private func board(_ name: String, _ beat: String? = nil, seen: Double = 1000) async throws {
        let device = try #require(try await store.register(org: "o", identifier: name, info: "{}", now: 1000)).id
        if let beat { try await store.note(Beat(seen: seen, body: beat, modelVersion: nil), of: device) }
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
        let device = try #require(try await store.devices(DeviceQuery(org: "o")).first)
        _ = try await store.revoke(device: device.id, org: "o")
        #expect(try await store.attention(org: "o", now: 1000).total == 0)
    }

    @Test func alertsAreToldOnce() async throws {
        let wanted: Set<AttentionReason> = [.fall, .hot]
        try await board("a", #"{"metadata":{"fall":"alarm","temperature_celsius":90,"battery_level":1}}"#)
        let device = try #require(try await store.devices(DeviceQuery(org: "o")).first).id
        let told = try await store.alerts(wanted, now: 1000)
        #expect(told.map(\.reason) == [.fall, .hot] && told.allSatisfy { $0.hasBegun && $0.identifier == "a" && $0.org == "o" })
        // Only what was taken is not told again.
        try await store.acknowledge([told[0]], now: 1000)
        #expect(try await store.alerts(wanted, now: 1001).map(\.reason) == [.hot])
        try await store.note(Beat(seen: 1002, body: #"{"metadata":{"temperature_celsius":90}}"#, modelVersion: nil), of: device)
        let after = try await store.alerts(wanted, now: 1002)
        #expect(after.map { "\($0.reason) \($0.hasBegun)" } == ["hot true", "fall false"])
        try await store.acknowledge(after, now: 1002)
        #expect(try await store.alerts(wanted, now: 1003).isEmpty)
        // What was told of a board goes with it.
        _ = try await store.delete(device: device, org: "o")
        #expect(try await store.alerts(wanted, now: 1004).isEmpty)
    }

    /// The webhook was away from the fall until its wearer was up again; then comes another fall.
    @Test func aFallThatIsOverIsToldAllTheSame() async throws {
        try await board("a", #"{"metadata":{"fall":"alarm","fall_at":"one"}}"#)
        let device = try #require(try await store.devices(DeviceQuery(org: "o")).first).id
        func alerts(_ now: Double, _ beat: String? = nil) async throws -> [Alert] {
            if let beat { try await store.note(Beat(seen: now, body: beat, modelVersion: nil), of: device) }
            return try await store.alerts([.fall, .hot], now: now)
        }
        #expect(try await alerts(1000).map(\.hasBegun) == [true])
        let late = try await alerts(1010, #"{"metadata":{"fall":"recovered","fall_at":"one"}}"#)
        #expect(late.map(\.hasBegun) == [true])
        try await store.acknowledge(late, now: 1010)
        let over = try await alerts(1011)
        #expect(over.map(\.hasBegun) == [false])
        try await store.acknowledge(over, now: 1011)
        #expect(try await alerts(1012).isEmpty)
        #expect(try await alerts(1080, #"{"metadata":{"fall":"impact","fall_at":"two"}}"#).map(\.hasBegun) == [true])
        // A revoked board is no wearer who is up again.
        _ = try await store.revoke(device: device, org: "o")
        #expect(try await alerts(1081).isEmpty)
    }

    @Test func whatAChannelMissedIsKept() async throws {
        try await board("a", #"{"metadata":{"fall":"alarm","fall_at":"one"}}"#)
        let alerts = try await store.alerts([.fall], now: 1000.25)
        #expect(alerts.count == 1)
        try await store.acknowledge(alerts, missed: ["mail": alerts, "the broker": []], now: 1001)
        #expect(try await store.missedAlerts() == ["mail": alerts, "the broker": []])
        try await store.acknowledge([], missed: ["mail": []], now: 1002)
        #expect(try await store.missedAlerts() == ["mail": []])
        #expect(try await store.alerts([.fall], now: 1003).isEmpty)
        try await store.acknowledge([], missed: ["mail": alerts], now: 1004)
        _ = try await store.delete(device: alerts[0].device, org: "o")
        #expect(try await store.missedAlerts() == ["mail": []])
    }

    @Test func whatIsOverWhileItIsBeingToldIsToldToBeOver() async throws {
        try await board("a", #"{"metadata":{"temperature_celsius":80}}"#)
        let begun = try await store.alerts([.hot], now: 1000)
        try await store.note(Beat(seen: 1001, body: "{}", modelVersion: nil), of: begun[0].device)
        #expect(try await store.alerts([.hot], now: 1001).isEmpty)
        try await store.acknowledge(begun, now: 1002)
        let over = try await store.alerts([.hot], now: 1003)
        #expect(over.map(\.hasBegun) == [false])
        try await store.acknowledge(over, now: 1003)
        #expect(try await store.alerts([.hot], now: 1004).isEmpty)
    }

    /// A board at the edge of a limit.
    @Test func whatComesAndGoesIsToldOnceInTenMinutes() async throws {
        try await board("a", "{}")
        let device = try #require(try await store.devices(DeviceQuery(org: "o")).first).id
        var told = 0
        for second in stride(from: 0.0, to: 590, by: 5) {
            let heat = second.truncatingRemainder(dividingBy: 10) == 0 ? 76 : 74
            try await store.note(
                Beat(seen: 1000 + second, body: #"{"metadata":{"temperature_celsius":\#(heat)}}"#, modelVersion: nil), of: device)
            let alerts = try await store.alerts([.hot], now: 1000 + second)
            told += alerts.count
            try await store.acknowledge(alerts, now: 1000 + second)
        }
        #expect(told == 2)
    }

    /// SQLite takes fewer levels than the reader of heartbeats of an earlier version.
    @Test func aHeartbeatThatSQLiteCannotReadStopsNothing() async throws {
        try await board("deep", String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000))
        try await board("fallen", #"{"metadata":{"fall":"alarm"}}"#)
        #expect(try await store.attention(org: "o", now: 1000).total == 1)
        #expect(try await store.alerts([.fall], now: 1000).count == 1)
        for order in DeviceOrder.allCases { #expect(try await store.devices(DeviceQuery(org: "o"), order: order).count == 2) }
    }

    /// A hub that has just begun cannot know who is away: it says neither that somebody is, nor that nobody is any more.
    @Test func aHubThatHasJustBegunSaysNothingOfWhoIsAway() async throws {
        try await board("away", "{}", seen: -10_000)
        let away = try await store.alerts([.offline], now: 1000)
        #expect(away.map(\.reason) == [.offline])
        try await store.acknowledge(away, now: 1000)
        store.listen(now: 1000)
        #expect(try await store.alerts([.offline], now: 1000).isEmpty)
        for second in 1...1600 { store.listen(now: 1000 + Double(second)) }
        #expect(try await store.alerts([.offline], now: 2600).isEmpty, "it was told before")
    }

    @Test(arguments: [
        (DeviceOrder.name, "a b c"), (.seen, "b a c"), (.battery, "c a b"), (.temperature, "a c b"), (.activity, "c a b"),
        (.waiting, "b a c"),
    ])
    func inOrder(_ order: DeviceOrder, _ names: String) async throws {
        try await board("b", #"{"metadata":{"spool_files":3}}"#, seen: 3000)
        try await board("c", #"{"metadata":{"battery_level":9,"temperature_celsius":20,"activity":"SITTING"}}"#, seen: 1000)
        try await board("a", #"{"metadata":{"battery_level":80,"temperature_celsius":40.5,"activity":"WALKING"}}"#, seen: 2000)
        let found = try await store.devices(DeviceQuery(org: "o"), order: order).map(\.identifier)
        // Of those that have nothing to be ordered by, nothing is said but that they come last.
        let isWaiting = order == .waiting
        #expect(isWaiting ? found.first == "b" : found.joined(separator: " ") == names)
    }
}

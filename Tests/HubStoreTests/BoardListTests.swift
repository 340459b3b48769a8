import Support
import Testing

@testable import HubStore

/// Boards as people call and look for them.
@Suite struct BoardListTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    private func register(_ identifier: String, org: String = "o") async throws -> String {
        try #require(try await store.register(org: org, identifier: identifier, info: "{}", now: 1000)).id
    }

    private func rename(_ board: String, _ name: String?, _ tags: [String]) async throws -> Device? {
        try await store.rename(device: board, org: "o") { names throws(Fault) in names = try BoardNames(name: name, tags: tags) }
    }

    private func found(search: String = "", tag: String? = nil, group: String? = nil, state: Connectivity? = nil) async throws -> [String] {
        var query = DeviceQuery(org: "o", state: state)
        (query.search, query.tag, query.group) = (search, tag, group)
        let devices = try await store.devices(query, now: 1000).map { $0.name ?? $0.identifier }
        #expect(try await store.count(query, now: 1000) == devices.count)
        for order in DeviceOrder.allCases {
            #expect(try await store.devices(query, order: order, now: 1000).count == devices.count)
        }
        return devices
    }

    @Test func aBoardIsFoundByWhatItIsCalledAndByItsOwnName() async throws {
        let board = try await register("gait-7"), other = try await register("attic")
        _ = try await rename(board, "Kitchen 100%", ["Ward-3", "test"])
        #expect(try await found() == ["attic", "Kitchen 100%"])
        for text in ["kitchen", "00%", "GAIT-7", "ward"] { #expect(try await found(search: text) == ["Kitchen 100%"], "\(text)") }
        for text in ["kitchen_", "%%", "ward-3 x"] { #expect(try await found(search: text).isEmpty, "\(text)") }
        #expect(try await found(tag: "Ward-3") == ["Kitchen 100%"])
        // A tag is the whole of it, as it was written.
        for tag in ["ward-3", "Ward", "%", "_est"] { #expect(try await found(tag: tag).isEmpty, "\(tag)") }
        #expect(try await store.tags(org: "o") == ["Ward-3", "test"])
        #expect(try await store.device(called: "Kitchen 100%", org: "o")?.id == board)
        #expect(try await store.device(called: "gait-7", org: "o")?.id == board)
        #expect(try await store.device(called: "Kitchen 100%", org: "p") == nil)
        _ = try await rename(other, "Kitchen 100%", [])
        #expect(try await store.device(called: "Kitchen 100%", org: "o") == nil, "two are called so")
        // It registers again, and is called as before.
        _ = try await register("gait-7")
        #expect(try await store.device(board, org: "o")?.name == "Kitchen 100%")
        _ = try await rename(board, "", ["t"])
        #expect(try await store.device(board, org: "o")?.name == nil)
        await #expect(throws: Fault.self, "another board calls itself so") { try await rename(board, "attic", []) }
        #expect(try BoardNames(name: "  ", tags: []).name == nil)
        #expect(try await store.rename(device: board, org: "p") { _ in } == nil)
    }

    @Test func whatIsNoNameOrTagIsRefused() async throws {
        for name in ["a\nb", "a\u{7}", String(repeating: "ä", count: 51)] {
            #expect(throws: Fault.self, "\(name)") { try BoardNames(name: name, tags: []) }
        }
        for tag in ["", "a b", "a,b", "a\u{A0}b", "a\nb", String(repeating: "x", count: 41)] {
            #expect(throws: Fault.self, "\(tag)") { try BoardNames(name: nil, tags: [tag]) }
        }
        #expect(throws: Fault.self) { try BoardNames(name: nil, tags: (0..<21).map { "t\($0)" }) }
        #expect(try BoardNames(name: nil, tags: Array(repeating: "a", count: 30)).tags == ["a"])
    }

    @Test func groupsStatesAndTagsGoTogether() async throws {
        let group = try await store.makeGroup("g", description: "", org: "o", now: 1000)
        var boards: [String] = []
        for name in ["a", "b", "c", "d"] { boards.append(try await register(name)) }
        _ = try await register("a", org: "p")
        for board in boards.prefix(3) {
            _ = try await rename(board, nil, ["t"])
            try await store.note(Beat(seen: board == boards[0] ? -9000 : 1000, body: "{}", modelVersion: 1), of: board)
        }
        for board in boards.suffix(3) { #expect(try await store.join(board, group, now: 1000)) }
        #expect(try await found(group: group.id) == ["b", "c", "d"])
        #expect(try await found(tag: "t", group: group.id) == ["b", "c"])
        #expect(try await found(tag: "t", state: .online) == ["b", "c"])
        #expect(try await found(state: .offline) == ["a", "d"])
        #expect(try await found(search: "C", tag: "t", group: group.id, state: .online) == ["c"])
        let fleet = try await store.fleet(org: "o", now: 1000)
        #expect([fleet.online, fleet.stale, fleet.offline] == [2, 0, 2])
    }

    @Test func onlyTheFirstHeartbeatOfAnHourIsKeptAndSoonOnlyEverySixth() async throws {
        let board = try await register("a"), start = 1_000_000.0 * 3600
        for beat in 0..<(40 * 24 * 12) {
            let body = #"{"metadata":{"battery_level":\#(beat % 100),"sampling_rate_hz":50.5,"temperature_celsius":"odd"}}"#
            try await store.note(Beat(seen: start + 300 * Double(beat), body: body, modelVersion: nil), of: board)
            if beat % 12 < 2 { try await store.settle() }
        }
        try await store.note(Beat(seen: start + 40 * 86_400, body: #"{"metadata":{}}"#, modelVersion: nil), of: board)
        let history = try await store.history(ofDevice: board), last = start + (40 * 24 - 1) * 3600
        #expect(history.last == HistoryPoint(at: last, battery: Double((40 * 24 - 1) * 12 % 100), heat: nil, rate: 50.5))
        #expect(history.filter { $0.at >= last - 47 * 3600 }.count == 48)
        let older = history.filter { $0.at < last - 48 * 3600 }
        #expect(older.allSatisfy { Int($0.at / 3600) % 6 == 0 } && (108...114).contains(older.count))
        #expect(history.map(\.at) == history.map(\.at).sorted() && history[0].at >= last - 30 * 86_400)
        _ = try await store.delete(device: board, org: "o")
        #expect(try await store.history(ofDevice: board).isEmpty)
    }
}

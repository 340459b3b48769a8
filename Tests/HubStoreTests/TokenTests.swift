import Support
import Testing

@testable import HubStore

@Suite struct TokenTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    private func boot(_ identifier: String, _ token: String, now: Double = 1000) async throws -> DeviceTokens? {
        try await store.bootstrap(token, org: "o", identifier: identifier, scopes: [.writesDevice], lifetime: 900, now: now)
    }

    @Test func aBootstrapTokenIsForOneBoard() async throws {
        let token = try await store.issue(.bootstrap, org: "o", name: "one", now: 1000)
        let first = try #require(try await boot("a", token))
        // The answer was lost: the board asks again. Another board may not.
        let again = try #require(try await boot("a", token))
        #expect(try await boot("b", token) == nil)
        #expect(try await store.session(first.access, now: 1001) == nil)
        #expect(try await store.session(again.access, now: 1001)?.holder == .device(identifier: "a", id: nil))
        #expect(try await store.session(again.access, now: 1901) == nil)
        #expect(try await store.session(again.refresh, now: 1001) == nil)
        #expect(try await store.issued().map(\.used) == [1])
    }

    @Test func endedAndForeignTokensAreNone() async throws {
        let token = try await store.issue(.bootstrap, org: "o", name: "", expires: 2000, now: 1000)
        #expect(try await boot("a", token, now: 2001) == nil)
        #expect(try await store.bootstrap(token, org: "p", identifier: "a", scopes: [], lifetime: 900, now: 1000) == nil)
        let person = try await store.issue(.person, org: "o", name: "me", now: 1000)
        #expect(try await boot("a", person) == nil)
        #expect(try await store.session(person, now: 1e12)?.holder == .person("me"))
        #expect(try await store.session(token, now: 1000) == nil)
        #expect(try await store.withdraw("me", org: "o") == 1)
        try await store.settle()
    }

    @Test func aRefreshTokenIsGoodUntilTheNextOneWasUsed() async throws {
        let token = try await store.issue(.bootstrap, org: "o", name: "", now: 1000)
        let first = try #require(try await boot("a", token))
        let lost = try #require(try await store.refresh(first.refresh, now: 1100))
        // That answer never arrived.
        let second = try #require(try await store.refresh(first.refresh, now: 1101))
        #expect(try await store.session(lost.access, now: 1102) == nil)
        #expect(try await store.session(first.access, now: 1102) != nil)
        #expect(try await store.session(second.access, now: 1102) != nil)
        // From now on the first one is stolen goods: all of the family end.
        #expect(try await store.refresh(first.refresh, now: 1103) == nil)
        #expect(try await store.refresh(second.refresh, now: 1104) == nil)
        #expect(try await store.session(second.access, now: 1105) == nil)
    }

    @Test func revokingABoardEndsItsTokens() async throws {
        let token = try await store.issue(.bootstrap, org: "o", name: "", now: 1000)
        let tokens = try #require(try await boot("a", token))
        #expect(try await store.session(tokens.access, now: 1001) != nil)
        let device = try #require(try await store.register(org: "o", identifier: "a", info: "{}", now: 1001))
        #expect(try await store.session(tokens.access, now: 1002)?.deviceID == device.id)
        #expect(try await store.register(org: "o", identifier: "a", info: "{\"x\":1}", now: 1003)?.id == device.id)
        #expect(try await store.revoke(device: device.id, org: "o"))
        #expect(try await store.session(tokens.access, now: 1004) == nil)
        #expect(try await store.refresh(tokens.refresh, now: 1004) == nil)
        #expect(try await boot("a", token) == nil)
    }

    @Test func aTokenRegistersOneBoardUnderTheNameThatItSays() async throws {
        let token = try await store.issue(.bootstrap, org: "o", name: "", uses: 3, now: 1000)
        let readme = try #require(try await boot("device-123", token)), other = try #require(try await boot("b", token))
        #expect(try await store.session(readme.access, now: 1001)?.deviceID == nil)
        // Not under a name that somebody else has a token for.
        #expect(try await store.register(org: "o", identifier: "b", info: "{}", holder: "device-123", now: 1001) == nil)
        let device = try #require(try await store.register(org: "o", identifier: "IDFV", info: "{}", holder: "device-123", now: 1001))
        #expect(try await store.session(readme.access, now: 1002)?.deviceID == device.id)
        #expect(try await HubStore(store.place).session(readme.access, now: 1002)?.deviceID == device.id)
        #expect(try await store.register(org: "o", identifier: "IDFV", info: "{}", holder: "b", now: 1003) == nil)
        #expect(try await store.register(org: "o", identifier: "b", info: "{}", holder: "b", now: 1003) != nil)
        #expect(try await store.register(org: "o", identifier: "c", info: "{}", holder: "b", now: 1004) == nil)
        #expect(try await store.session(other.access, now: 1005) != nil)
    }

    @Test func whatAnotherProcessRevokedEndsWithTheNextSettling() async throws {
        let person = try await store.issue(.person, org: "o", name: "me", now: 1000)
        try await store.forgetStale()
        #expect(try await store.session(person, now: 1001) != nil)
        #expect(try await HubStore(store.place).withdraw("me", org: "o") == 1)
        try await store.forgetStale()
        #expect(try await store.session(person, now: 1002) == nil)
    }
}

import FoundationEssentials
import Support
import TestHelpers
import Testing

@testable import Fleet

@Suite struct TokenTests {
    @Test(arguments: [
        ("2026-02-06T10:00:00Z", 1770372000.0), ("2026-02-06T10:00:00.5Z", 1770372000.5),
        ("2026-02-06T10:00:00.123456Z", 1770372000.123456), ("2026-02-06T12:00:00+02:00", 1770372000),
    ])
    func dates(_ text: String, _ seconds: Double) throws {
        #expect(abs(try #require(ISOTime.seconds(text)) - seconds) < 1e-6)
    }

    @Test func answersOfAllServers() throws {
        let now = Date(timeIntervalSince1970: 1_770_372_000)
        func state(_ json: String) -> DeviceTokens? {
            DeviceTokens(answer: JSONValue(parsing: Array(json.utf8)) ?? .null, orgId: "o", deviceIdentifier: "d", now: now)
        }
        let both = try #require(
            state(
                #"{"access_token":"a","refresh_token":"r","expires_at":"2030-01-01T00:00:00Z","expires_in":900,"scopes":["devices:write"]}"#
            ))
        #expect(
            both.expiresAt == now.addingTimeInterval(900) && both.scopes == ["devices:write"] && both.tokenType == "Bearer"
                && both.orgId == "o")
        #expect(
            try #require(state(#"{"access_token":"a","refresh_token":"r","expires_at":"2026-02-06T11:00:00.250Z"}"#)).expiresAt
                == now.addingTimeInterval(3600.25))
        for bad in [
            "{}", #"{"access_token":"a"}"#, #"{"access_token":"","refresh_token":"r","expires_in":9}"#,
            #"{"access_token":"a","refresh_token":"r","expires_in":"soon"}"#, "[]",
        ] { #expect(state(bad) == nil) }
        // As it is kept, and as the SDK keeps it.
        let kept = try JSONEncoder().encode(both)
        #expect(String(decoding: kept, as: UTF8.self).contains(#""expires_at":"2026-02-06T10:15:00.000Z""#))
        #expect(try JSONDecoder().decode(DeviceTokens.self, from: kept) == both)
    }

    @Test func tokensAreForTheirOwnerAlone() throws {
        let root = try machine([:]), file = TokenFile(service: "ai.edgeml", account: "o/../x:d", in: root)
        #expect(try file.read() == nil)
        let state = try #require(
            DeviceTokens(
                answer: .members([("access_token", .string("a")), ("refresh_token", .string("r")), ("expires_in", .integer(9))]),
                orgId: "o", deviceIdentifier: "d", now: Date(timeIntervalSince1970: 5)))
        try file.write(state)
        #expect(try file.read() == state)
        let name = try #require(try Files.list(root + "ai.edgeml").first)
        #expect(try name == "o_.._x:d.json" && Files.isPrivate(root + "ai.edgeml/" + name) && Files.isPrivate(root + "ai.edgeml"))
        try Files.write(Array("{".utf8), to: root + "ai.edgeml/" + name)
        #expect(throws: Fault.self) { try file.read() }
    }
}

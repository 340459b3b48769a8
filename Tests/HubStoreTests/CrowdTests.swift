import Support
import Testing

@testable import HubStore

@Suite struct CrowdStoreTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    @Test func accountsSignIn() async throws {
        let made = try #require(try await store.makeAccount("Ada@example.org", password: "a long word", org: "o", now: 1000)),
            uid = try #require(made.account)
        #expect(try await store.makeAccount("ada@EXAMPLE.org", password: "another", org: "o", now: 1000) == nil)
        #expect(try await store.signIn("ada@example.org", password: "a long worD", now: 1000) == nil)
        #expect(try await store.signIn("bob@example.org", password: "a long word", now: 1000) == nil)
        let session = try #require(try await store.signIn("ada@example.org", password: "a long word", now: 1000))
        #expect(session.account == uid && session.access != made.access)
        // Each device has its own; a refresh of one leaves the other.
        for token in [made.access, session.access] { #expect(try await store.session(token, now: 1001)?.holder == .account(uid)) }
        #expect(try await store.refresh(made.refresh, now: 1001)?.account == uid)
        #expect(try await store.session(session.access, now: 5000) == nil)
        #expect(try await store.removeAccount("ada@example.org", org: "o"))
        #expect(try await store.session(session.access, now: 1001) == nil)
        #expect(try await store.refresh(session.refresh, now: 1001) == nil)
        for password in ["short", String(repeating: "x", count: 201), "with\u{0}zero"] {
            await #expect(throws: Fault.self) { try await store.makeAccount("c@example.org", password: password, org: "o", now: 1000) }
        }
    }

    @Test func noDeviceCanTakeAnAccountsPlace() async throws {
        let made = try #require(try await store.makeAccount("ada@example.org", password: "a long word", org: "o", now: 1000)),
            uid = try #require(made.account)
        #expect(Session.holder("account\(uid)", nil) == .device(identifier: "account\(uid)", id: nil))
        #expect(Session.holder(Session.account(uid), nil) == .account(uid))
        #expect(Session.account(uid).unicodeScalars.contains { $0.value < 32 && $0.value != 10 }, "what the API lets no device be called")
    }

    private func start() async throws {
        try await store.startCrowd { SavedCrowd(number: $0, settings: "{}", state: [1], test: nil, started: 1000) }
    }

    @Test func aCrowdIsKept() async throws {
        #expect(try await store.crowd() == nil)
        try await start()
        let keeper = try await store.takeCrowd()
        #expect(
            try await store.save(
                crowd: 1, keeper: keeper, state: [2, 3],
                users: [CrowdUser(uid: "u", node: [4], taken: "1 1 1"), CrowdUser(uid: "v", node: nil, taken: "2 1 1")]))
        #expect(try await store.save(crowd: 1, keeper: keeper, state: nil, users: [CrowdUser(uid: "u", node: [5], taken: "2 2 1")]))
        #expect(try await store.crowd()?.state == [2, 3])
        #expect(
            try await store.crowdUsers().sorted { $0.uid < $1.uid } == [
                CrowdUser(uid: "u", node: [5], taken: "2 2 1"), CrowdUser(uid: "v", node: nil, taken: "2 1 1"),
            ])
        // Nor from a server that had it before.
        let next = try await store.takeCrowd()
        await #expect(throws: Fault.self) { _ = try await store.save(crowd: 1, keeper: keeper, state: [8], users: []) }
        #expect(try await store.save(crowd: 1, keeper: next, state: nil, users: []))
        // What was meant for the one before is not taken for the next.
        try await start()
        #expect(try await store.save(crowd: 1, keeper: next, state: [9], users: []) == false)
        #expect(try await store.crowd()?.state == [1])
        #expect(try await store.crowdUsers().isEmpty)
        #expect(try await store.crowdNumber() == 2)
        #expect(try await store.stopCrowd())
        #expect(try await store.stopCrowd() == false)
        try await start()
        #expect(try await store.crowdNumber() == 3)
    }

    @Test func errorsAreThinnedOutAndTheLastIsThere() async throws {
        for iteration in 1...95 { try await store.add(CrowdError(iteration: iteration, taken: iteration, error: 0.5, at: 0)) }
        let found = try await store.crowdErrors(most: 10).map(\.iteration)
        #expect(found.count == 10 && found.last == 95 && found == found.sorted())
    }
}

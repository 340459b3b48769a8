import Foundation
import Support
import Testing

@testable import Fleet
@testable import HubProtocol

/// The client's calls against a running hub: Tests/Hub/test_api.py starts it, and names it in the environment.
@Suite struct LiveServerHubTests {
    private let environment = ProcessInfo.processInfo.environment

    @Test(.enabled(if: ProcessInfo.processInfo.environment["GAITWAY_HUB_ADDRESS"] != nil, "Tests/Hub/test_api.py starts a hub"))
    func everyCall() async throws {
        let hub = try #require(URL(string: environment["GAITWAY_HUB_ADDRESS"] ?? "")), place = NSTemporaryDirectory() + UUID().uuidString
        let client = try FleetClient(hub: hub, orgId: "default", identifier: "swift-1", stateDirectory: place)
        await #expect(throws: Fault.self) { try await client.groups() }
        let made = try await client.register(bootstrapToken: environment["GAITWAY_HUB_BOOTSTRAP"])
        #expect(try await client.groups().isEmpty)
        #expect(try await client.modelVersion(of: "activity") == nil)
        #expect(try await client.update(of: "activity", current: "0") == nil)

        // Now the test puts the board into a group, and rolls version 1 out to it.
        try Files.write(Array(made.deviceId.utf8), to: try #require(environment["GAITWAY_HUB_REGISTERED"]))
        var assigned: AssignedVersion?
        for _ in 0..<100 {
            assigned = try await client.modelVersion(of: "activity")
            if assigned != nil { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(assigned?.version == "1" && assigned?.source == "rollout" && assigned?.rolloutId == "1")
        #expect(try await client.groups().map(\.name) == ["left"])
        let update = try #require(try await client.update(of: "activity", current: "0")), size = try #require(update.size)
        #expect(update.newVersion == "1" && update.checksum?.count == 64 && !update.isRequired)
        let bytes = try await client.download("activity", version: "1", limit: size)
        #expect(bytes.count == size)
        #expect(try await client.signature(of: "activity", version: "1") == nil)
        #expect(await code { _ = try await client.download("activity", version: "1", limit: size - 1) } == .badData)
        #expect(await code { _ = try await client.download("activity", version: "7", limit: size) } == .noInput)
        #expect(await code { _ = try await client.download("a/../b c", version: "1", limit: size) } == .noInput)

        var beat = Heartbeat()
        beat.models = ModelReport(model: "activity", highest: 0, versions: [])
        #expect(try await client.heartbeat(beat).updates == ["activity": "1"])
        beat.models = ModelReport(model: "activity", highest: 1, versions: [.init(version: 1, state: .committed)])
        let answer = try await client.heartbeat(beat)
        #expect(answer.updates.isEmpty && abs((answer.serverTime ?? 0) - Date().timeIntervalSince1970) < 5)
        let queue = EventQueue(in: place)
        for time in 0..<700 { queue.add(TelemetryEvent("activity", at: Int64(time), ["activity": "WALKING"])) }
        try await client.send(queue)
        #expect(queue.count == 0)
        try await client.leave()
        await #expect(throws: Fault.self) { try await client.heartbeat() }
    }

    private func code(_ body: () async throws -> Void) async -> Fault.Code? {
        do { try await body() } catch { return (error as? Fault)?.code }
        return nil
    }
}

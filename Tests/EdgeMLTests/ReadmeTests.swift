import Foundation
import FoundationNetworking
import Testing

@testable import EdgeML

// The client that the EdgeML SDK's README shows, with calls as it has them. GAITWAY_FLEET_SERVER names a server to run it against
// (Tests/EndToEnd/test_fleet.py starts one, Tests/Hub/test_api.py a hub).
private final class EdgeMLClient {
    private let baseURL: String
    private let deviceToken: String
    private let device = DeviceInfo()
    private var deviceServerId: String?

    init(deviceToken: String, baseURL: String = "https://api.edgeml.io") {
        self.deviceToken = deviceToken
        self.baseURL = baseURL
    }

    func register(orgId: String) async throws -> String {
        var data = device.toRegistrationDict()
        data["org_id"] = orgId
        data["sdk_version"] = "1.1.0"
        let (body, _) = try await URLSession.shared.data(for: try request("POST", "devices/register", data))
        let response = try JSONDecoder().decode([String: String].self, from: body)
        deviceServerId = response["id"]
        return response["id"] ?? ""
    }

    func sendHeartbeat() async throws -> Int? {
        guard let deviceId = deviceServerId else {
            throw NSError(domain: "EdgeML", code: -1, userInfo: [NSLocalizedDescriptionKey: "Device not registered"])
        }
        let (_, response) = try await URLSession.shared.data(
            for: try request("PUT", "devices/\(deviceId)/heartbeat", ["metadata": device.updateMetadata()]))
        return (response as? HTTPURLResponse)?.statusCode
    }

    private func request(_ method: String, _ path: String, _ body: [String: Any]) throws -> URLRequest {
        var request = URLRequest(url: URL(string: "\(baseURL)/api/v1/\(path)")!)
        request.httpMethod = method
        request.setValue("Bearer \(deviceToken)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: body)
        return request
    }
}

@Suite struct ReadmeTests {
    @Test func whatJSONSerializationTakes() throws {
        let device = DeviceInfo()
        #expect(
            JSONSerialization.isValidJSONObject(device.toRegistrationDict())
                && JSONSerialization.isValidJSONObject(["metadata": device.updateMetadata()]))
        #expect(device.toRegistrationDict()["device_identifier"] as? String == device.deviceId)
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["GAITWAY_FLEET_SERVER"] != nil, "Tests/EndToEnd/test_fleet.py starts the server"))
    func liveServer() async throws {
        let base = try #require(ProcessInfo.processInfo.environment["GAITWAY_FLEET_SERVER"]),
            directory = NSTemporaryDirectory() + UUID().uuidString
        let auth = DeviceAuthManager(
            baseURL: URL(string: base)!, orgId: "your_org_id", deviceIdentifier: "device-123", stateDirectory: directory)
        let tokenState = try await auth.bootstrap(
            bootstrapBearerToken: ProcessInfo.processInfo.environment["GAITWAY_FLEET_TOKEN"] ?? "bootstrap")
        let accessToken = try await auth.getAccessToken()
        #expect(tokenState.accessToken == accessToken && tokenState.deviceIdentifier == "device-123")
        let client = EdgeMLClient(deviceToken: accessToken, baseURL: base)
        #expect(try await !client.register(orgId: "your_org_id").isEmpty)
        #expect(try await client.sendHeartbeat() == 200)
        // Many who ask at once share one refresh.
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await auth.getAccessToken(refreshIfExpiringWithin: 1e6) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && !tokens.contains(accessToken))
        try await auth.revoke()
        await #expect(throws: (any Error).self) { try await auth.getAccessToken() }
        try await auth.revoke()
    }
}

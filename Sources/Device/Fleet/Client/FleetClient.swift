public import FoundationEssentials
public import HubProtocol
package import Ledger
public import Support
internal import Synchronization

/// A board's side of the EdgeML device API: registration and heartbeats, for servers of all its generations.
public final class FleetClient: Sendable {
    /// The generation of the API that it uses.
    public static let version = "1.1.0"

    /// The hub's address, without a slash at its end.
    public let hub: String
    /// The organisation.
    public let orgId: String
    package let device: DeviceDescription
    /// What was told to the hub.
    package let ledger: PrivacyLedger
    let auth: TokenKeeper
    let api: FleetAPI
    private let directory: String
    private let allowsHTTP: Bool
    private let state: Mutex<Registration?>
    private let beaten: Mutex<Double?> = Mutex(nil)

    /// - Parameters:
    ///   - hub: "https://host"; plain HTTP to this machine alone, unless `allowsHTTP`.
    ///   - identifier: the board's own name; nil for one made of the machine's ID.
    ///   - stateDirectory: where tokens and registration are kept; nil for ``Places/state``.
    /// - Throws: those of reading the registration.
    public init(hub: URL, orgId: String, identifier: String? = nil, stateDirectory: String? = nil, allowsHTTP: Bool = false) throws(Fault) {
        let text = hub.absoluteString
        let device = DeviceDescription(identifier: identifier)
        (self.orgId, self.device, self.allowsHTTP) = (orgId, device, allowsHTTP)
        directory = stateDirectory ?? Places.state
        ledger = PrivacyLedger(in: directory)
        api = FleetAPI(base: text, allowsHTTP: allowsHTTP)
        self.hub = api.base
        auth = TokenKeeper(
            hub: text, orgId: orgId, deviceIdentifier: device.deviceId, stateDirectory: directory, allowsHTTP: allowsHTTP,
            allowance: api.allowance)
        let known = try Registration.read(in: directory)
        state = Mutex(known?.hub == api.base && known?.orgId == orgId ? known : nil)
    }

    /// The board as it was registered before; nil when it was not.
    ///
    /// - Throws: those of reading the registration.
    public convenience init?(registeredIn directory: String? = nil) throws(Fault) {
        guard let known = try Registration.read(in: directory ?? Places.state), let url = URL(string: known.hub) else { return nil }
        try self.init(
            hub: url, orgId: known.orgId, identifier: known.deviceIdentifier, stateDirectory: directory, allowsHTTP: known.allowsHTTP)
    }

    /// The hub and the name of the board there.
    package var place: String { "\(hub) as \(device.deviceId)" }

    /// When a heartbeat last arrived at the hub, seconds since 1970.
    public var lastBeat: Double? { beaten.withLock { $0 } }

    /// As the hub confirmed it; nil before.
    public var registration: Registration? { state.withLock { $0 } }

    /// Registers the board; doing it again tells the hub what changed.
    ///
    /// - Parameter bootstrapToken: a person's or backend's, when the board has no tokens yet.
    /// - Throws: those of the tokens, `.badData` when the answer names no device.
    @discardableResult
    public func register(bootstrapToken: String? = nil) async throws(Fault) -> Registration {
        if let bootstrapToken { try await auth.bootstrap(bootstrapBearerToken: bootstrapToken) }
        guard case .object(var body) = device.registration else { throw Fault(.failure, "the board cannot be described") }
        body["org_id"] = .string(orgId)
        body["sdk_version"] = .string(Self.version)
        // The last generation reads the hardware without the object around it.
        for (name, value) in device.hardware { if let value { body[name] = value } }
        if let battery = device.batteryLevel { body["battery_pct"] = .integer(battery) }
        if let charging = device.isCharging { body["charging"] = .bool(charging) }
        let answer = try api.good(try await authorised("POST", "devices/register", .object(body)), "devices/register")
        guard let id = answer["id"]?.text ?? answer["device_id"]?.text, !id.isEmpty else {
            throw Fault(.badData, "\(hub) registered the board without giving it an ID")
        }
        var made = Registration(hub: hub, orgId: orgId, deviceId: id, deviceIdentifier: device.deviceId, allowsHTTP: allowsHTTP)
        made.heartbeatInterval = HeartbeatAnswer.interval(answer)
        try made.write(in: directory)
        state.withLock { [made] in $0 = made }
        return made
    }

    /// Reports to the hub how the board does. A server that takes POST alone is remembered.
    ///
    /// - Throws: `.configuration` when the board is not registered; `.permission`, `.temporary`, `.noInput` when the hub does not know the
    ///   board.
    /// - Returns: what the hub assigns to this board, and its clock.
    @discardableResult
    public func heartbeat(_ beat: Heartbeat = Heartbeat()) async throws(Fault) -> HeartbeatAnswer {
        let known = try registered()
        let path = "devices/\(known.deviceId)/heartbeat", body = beat.body(device)
        let first: FleetAPI.Answer, answer: JSONValue
        do throws(Fault) {
            first = try await authorised(known.beatsByPost ? "POST" : "PUT", path, body)
        } catch {
            // One whose answer nobody waits for any more may have arrived.
            if Task.isCancelled { ledger.note(.heartbeats, to: place, items: beat.activity == nil ? 0 : 1) }
            throw error
        }
        if first.status == 405 {
            answer = try api.good(try await authorised(known.beatsByPost ? "PUT" : "POST", path, body), path)
            try remember { $0.beatsByPost = !known.beatsByPost }
        } else {
            answer = try api.good(first, path)
        }
        ledger.note(.heartbeats, to: place, items: beat.activity == nil ? 0 : 1)
        let said = HeartbeatAnswer(answer)
        if let seconds = said.interval, seconds != known.heartbeatInterval { try remember { $0.heartbeatInterval = seconds } }
        beaten.withLock { $0 = Date().timeIntervalSince1970 }
        return said
    }

    /// Gives the board's tokens back, and forgets the hub and what was to be told to it.
    ///
    /// - Throws: those of the request; all is kept then.
    public func leave() async throws(Fault) {
        try await auth.revoke(reason: "unregistered")
        try forget()
    }

    /// Has the hub remove all that it keeps of this board, and forgets the hub; the board's key goes too.
    ///
    /// - Throws: those of the request; all is kept then. `.noInput` for a server that cannot. A hub that knows no such board any more has
    ///   nothing of it.
    public func erase() async throws(Fault) {
        let path = "devices/\(try registered().deviceId)", answer = try await authorised("DELETE", path, nil)
        if (answer.body["error"] ?? answer.body)["code"]?.text != "device_not_registered" {
            _ = try api.good(answer, path)
            // A page that some network puts in between, or a promise to do it later, confirms nothing.
            var isSaid = answer.status == 204
            if case .object = answer.body { isSaid = isSaid || answer.status == 200 && answer.body["error"] == nil }
            guard isSaid else {
                throw Fault(.temporary, "\(hub) answers HTTP \(answer.status) without saying that it removed the board")
            }
        }
        try forget()
        try BoardKey.remove(in: directory)
    }

    /// Forgets the hub, its tokens and what was to be told to it, without a word to the hub: its tokens end by themselves.
    public func forget() throws(Fault) {
        try auth.forget()
        try Registration.remove(in: directory)
        try EventQueue.remove(in: directory)
        state.withLock { $0 = nil }
    }

    /// Another program has left the hub: nothing more is told to it.
    package func hasLeft() { state.withLock { $0 = nil } }

    /// - Throws: `.configuration` when the board is not registered.
    func registered() throws(Fault) -> Registration {
        guard let known = registration else {
            throw Fault(.configuration, "Device not registered", remedy: "gaitway register --hub \(hub) --token TOKEN")
        }
        return known
    }

    private func remember(_ change: (inout Registration) -> Void) throws(Fault) {
        // Another program may have left the hub meanwhile.
        guard try Registration.read(in: directory) != nil else { return hasLeft() }
        let changed: Registration? = state.withLock { state in
            guard var known = state else { return nil }
            change(&known)
            state = known
            return known
        }
        try changed?.write(in: directory)
    }

    /// A token for another service of the same hub.
    ///
    /// - Parameter renewing: whether the last one was refused.
    /// - Throws: those of the tokens.
    package func accessToken(renewing: Bool) async throws(Fault) -> String {
        renewing ? try await auth.refresh().accessToken : try await auth.getAccessToken()
    }

    // A token that the hub no longer takes is refreshed once: the board's clock may be off.
    func authorised(_ method: String, _ path: String, _ body: JSONValue?) async throws(Fault) -> FleetAPI.Answer {
        let answer = try await api.send(method, path, body, token: try await accessToken(renewing: false))
        guard answer.status == 401 else { return answer }
        return try await api.send(method, path, body, token: try await accessToken(renewing: true))
    }
}

internal import FoundationEssentials
public import Support

/// What a hub made of this board, kept for the next start.
public struct Registration: Codable, Sendable, Equatable {
    /// The hub's address.
    public var hub: String
    /// The organisation.
    public var orgId: String
    /// The hub's name for the board, and the board's own.
    public var deviceId: String
    /// The board's name within it.
    public var deviceIdentifier: String
    /// Seconds between heartbeats, where the hub says so.
    public var heartbeatInterval: Int?
    /// Whether the hub takes heartbeats as POST alone, as those of early 2026.
    public var beatsByPost = false
    /// Whether the hub may be spoken to without TLS.
    public var allowsHTTP = false

    private static func path(_ directory: String) -> String { "\(directory)/registration.json" }

    /// nil when the board was never registered.
    ///
    /// - Throws: `.badData` when the file is not what it should be, `.permission`.
    public static func read(in directory: String? = nil) throws(Fault) -> Registration? {
        guard Files.exists(path(directory ?? Places.state)) else { return nil }
        let bytes = try Files.read(path(directory ?? Places.state), limit: 1 << 16)
        do {
            return try JSONDecoder().decode(Registration.self, from: Data(bytes))
        } catch {
            throw Fault(
                .badData, "\(path(directory ?? Places.state)) is no registration", remedy: "Register the board again: gaitway register")
        }
    }

    /// Saves it, mode 600.
    public func write(in directory: String? = nil) throws(Fault) {
        guard let bytes = try? JSONEncoder().encode(self) else { return }
        try Files.makeDirectory(directory ?? Places.state)
        try Files.write(Array(bytes), to: Self.path(directory ?? Places.state), isPrivate: true)
    }

    /// Deletes it; without one nothing happens.
    public static func remove(in directory: String? = nil) throws(Fault) {
        if Files.exists(path(directory ?? Places.state)) { try Files.remove(path(directory ?? Places.state)) }
    }
}

internal import Models

/// How a hub is run.
public struct HubOptions: Sendable {
    /// Nothing listens beyond this machine unless it is asked to.
    public var host = "127.0.0.1"
    public var port = 8710
    /// PEM files; both or neither.
    public var certificate: String?
    public var key: String?
    /// Seconds between heartbeats, told to boards.
    public var heartbeatInterval = 300
    /// Requests a minute: of one token, and of one address without a token.
    public var requestsPerMinute = 120
    public var strangersPerMinute = 60
    /// Of one member of the crowd: five for each gradient, and clients of 2016 look every 0.3 s.
    public var crowdRequestsPerMinute = 6000
    /// Bytes of a request's body; of a model.
    public var bodyLimit = 256 << 10
    public var modelLimit = NetworkFile.sizeLimit

    public init() {}
}

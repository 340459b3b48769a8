internal import NeuralNetwork

/// How a hub is run.
package struct HubOptions: Sendable {
    /// Nothing listens beyond this machine unless it is asked to.
    package var host = "127.0.0.1"
    package var port = 8710
    /// PEM files; both or neither.
    package var certificate: String?
    package var key: String?
    /// Seconds between heartbeats, sent to boards.
    package var heartbeatInterval = 300
    /// Whether boards without a key of their own get no tokens.
    package var requiresKeys = false
    /// Requests a minute: of one token, and of one address without a token.
    package var requestsPerMinute = 120
    package var strangersPerMinute = 60
    /// Of one member of the crowd: five for each gradient, and clients of 2016 look every 0.3 s.
    package var crowdRequestsPerMinute = 6000
    /// The address of a server in front of this one, which says in X-Forwarded-For for whom it asks.
    package var trustedProxy: String?
    /// Connections of one address at once; the oldest that waits makes room for another.
    package var connectionsPerAddress = 4096
    /// Bytes of a request's body; of what a board says of itself; of its events in an hour; of a model.
    package var bodyLimit = 256 << 10
    package var boardLimit = 16 << 10
    package var eventBytesPerHour = 2 << 20
    package var modelLimit = NetworkFile.sizeLimit

    package init() {}
}

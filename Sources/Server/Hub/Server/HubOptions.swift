package import HubStore
internal import NeuralNetwork
package import Serving

/// Of what somebody is told at once, and where.
package struct AlertOptions: Sendable {
    package var reasons: Set<AttentionReason> = [.fall, .offline, .refused]
    package var channels: [any AlertChannel] = []

    package init() {}
}

/// How a hub is run.
package struct HubOptions: Sendable {
    package var listening = ListeningPort(port: 8710)
    /// Seconds between heartbeats, sent to boards.
    package var heartbeatInterval = 300
    /// Whether boards without a key of their own get no tokens.
    package var requiresKeys = false
    /// Whether a person approves each new board before it gets tokens.
    package var asksForApproval = false
    /// Requests a minute: of one token, and of one address without a token.
    package var requestsPerMinute = 120
    package var strangersPerMinute = 60
    /// Of one member of the crowd: five for each gradient, and clients of 2016 look every 0.3 s.
    package var crowdRequestsPerMinute = 6000
    /// The address of a server in front of this one, which says in X-Forwarded-For for whom it asks.
    package var trustedProxy: String?
    /// Bytes of a request's body; of what a board says of itself; of its events in an hour; of a model.
    package var bodyLimit = 256 << 10
    package var boardLimit = 16 << 10
    package var eventBytesPerHour = 2 << 20
    package var modelLimit = NetworkFile.sizeLimit

    package var alerts = AlertOptions()
    /// Where models' files go; nil for the database.
    package var models: ModelFolder?

    package init() {}
}

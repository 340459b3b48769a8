package import Serving

/// How the board's page is served.
package struct DashboardOptions: Sendable {
    package var listening = ListeningPort(port: 8720)
    /// What a browser has to know.
    package var token: String
    /// The gaitway whose commands the page's buttons are.
    package var program: String
    /// Bytes of a request's body, and of a model.
    package var bodyLimit = 64 << 10, modelLimit = 32 << 20

    package init(token: String, program: String) {
        (self.token, self.program) = (token, program)
        // People of a household, each with some connections.
        listening.connectionsPerAddress = 64
    }
}

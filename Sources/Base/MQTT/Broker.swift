/// A broker, and who a client is there.
package struct Broker: Sendable, Equatable {
    package var host: String
    package var port: Int
    package var tls: Bool
    package var user: String?, password: String?
    /// PEM; nil for those of /etc/ssl/certs.
    package var caFile: String?
    /// Of the client, PEM.
    package var certificate: String?, key: String?

    package init(
        host: String, port: Int, tls: Bool, user: String? = nil, password: String? = nil, caFile: String? = nil, certificate: String? = nil,
        key: String? = nil
    ) {
        (self.host, self.port, self.tls, self.user, self.password) = (host, port, tls, user, password)
        (self.caFile, self.certificate, self.key) = (caFile, certificate, key)
    }
}

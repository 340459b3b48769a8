internal import Glibc
package import HummingbirdCore
internal import HummingbirdTLS
internal import NIOCore
internal import NIOSSL
package import Support

/// Where a server listens, and how: HTTP/1.1, with TLS where there is a certificate; many connections, slow ones and silent ones end.
package struct ListeningPort: Sendable {
    /// Nothing listens beyond this machine unless it is asked to.
    package var host = "127.0.0.1"
    package var port: Int
    /// PEM files; both or neither.
    package var certificate: String?
    package var key: String?
    /// Connections of one address at once; the oldest that waits makes room for another.
    package var connectionsPerAddress = 4096

    package init(port: Int) { self.port = port }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }
    package var address: String { "\(certificate == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host)" }

    /// What ended a server: most often somebody else has its port.
    ///
    /// - Parameter name: the server's, for people.
    package func fault(_ name: String, _ error: any Error) -> Fault {
        let reason = (error as? IOError).map { unsafe String(cString: strerror($0.errnoCode)) }
        return Fault(
            .failure, "\(name) cannot listen at \(host):\(port)\(reason.map { ": \($0)" } ?? ", or had to stop: \(error)")",
            remedy: "Is the port free? Another one: --port.")
    }

    /// - Throws: `.configuration` for TLS files that cannot be used.
    package func server() throws(Fault) -> HTTPServerBuilder {
        // A client that went away silently does not hold its connection for ever.
        let registry = ConnectionRegistry(limit: max(16, OpenFiles.raised() - 100), addressLimit: connectionsPerAddress)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(additionalChannelHandlers: [ConnectionGuard(registry)], idleTimeout: .seconds(75)))
        guard let certificate, let key else { return plain }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            tls.minimumTLSVersion = .tlsv12
            return try .tls(plain, tlsConfiguration: tls)
        } catch {
            throw Fault(.configuration, "\(certificate) and \(key) are no certificate and its key: \(error)", remedy: "Both are PEM files.")
        }
    }
}

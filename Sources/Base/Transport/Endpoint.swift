package import Support

/// A server: scheme, host, port and perhaps a path.
package struct Endpoint: Sendable, Equatable {
    /// "https://host:port"
    package let origin: String
    package let host: String
    /// Empty or "/path".
    package let path: String

    /// - Parameter allowsHTTP: whether what is sent may be read on its way. To this machine itself it may.
    /// - Throws: `.configuration` for what is no address, and for plain HTTP where that is not allowed.
    package init(_ text: String, allowsHTTP: Bool = false) throws(Fault) {
        guard let mark = text.firstRange(of: "://"), text.utf8.allSatisfy({ (33..<127).contains($0) }) else {
            throw Fault(.configuration, "\"\(text)\" is no endpoint", remedy: "Write it as https://host or https://host:port.")
        }
        let scheme = String(text[..<mark.lowerBound]), rest = text[mark.upperBound...]
        host = String(rest.prefix { $0 != "/" })
        let tail = String(rest.dropFirst(host.count))
        path = tail.hasSuffix("/") ? String(tail.dropLast()) : tail
        origin = scheme + "://" + host
        guard !host.isEmpty, !host.contains("@"), !path.contains("?"), !path.contains("#") else {
            throw Fault(.configuration, "\"\(text)\" is no endpoint", remedy: "Write it as https://host or https://host:port.")
        }
        let name = host.hasPrefix("[") ? String(host.prefix { $0 != "]" }.dropFirst()) : String(host.prefix { $0 != ":" })
        let isLocal = name == "localhost" || name == "::1" || (name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." })
        guard scheme == "https" || (scheme == "http" && (isLocal || allowsHTTP)) else {
            throw Fault(
                .configuration, "\(text) is not encrypted",
                remedy: "Use https; for a trial, --allow-http, or DangerouslyConnectToHTTPEndpointForTesting in awsconfiguration.json.")
        }
    }

    private init(aws host: String) {
        self.host = host
        origin = "https://" + host
        path = ""
    }

    /// AWS's own server of a service.
    package static func aws(_ service: String, region: String) -> Endpoint {
        Endpoint(aws: "\(service).\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")")
    }

    /// The same server with a name in front of its host.
    package func sub(_ name: String) -> Endpoint { Endpoint(aws: "\(name).\(host)") }
}

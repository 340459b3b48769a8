internal import Cryptography
internal import Glibc
internal import HTTPTypes
package import Hummingbird

/// From where a request comes, as limits count it.
package enum CallerAddress {
    /// - Parameters:
    ///   - peer: the connection's other end.
    ///   - proxy: whose X-Forwarded-For is believed.
    package static func of(_ request: Request, peer: String, proxy: String?) -> String {
        guard let proxy, proxy == peer, let field = HTTPField.Name("X-Forwarded-For"), let said = request.headers[field] else {
            return network(peer)
        }
        // The last one is the proxy's own word; whatever stands before it anybody may have written.
        let last = said.split(separator: ",").last.map { $0.filter { $0 != " " } } ?? ""
        return network(last.isEmpty || last.utf8.count > 45 ? peer : last)
    }

    /// Of IPv6 the first 64 bits: a house has all of the others.
    static func network(_ address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let plain = String(address.prefix { $0 != "%" })
        guard unsafe inet_pton(AF_INET6, plain, &bytes) == 1, !bytes.prefix(10).allSatisfy({ $0 == 0 }) else { return address }
        return Hexadecimal.text(bytes.prefix(8)) + "/64"
    }
}

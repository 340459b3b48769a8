import Glibc
internal import Support
internal import Synchronization

/// A server on loopback that gives the first connection the first answer, and so on; those behind the last get the last.
package final class Server: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let heard: Mutex<[String]> = Mutex([])

    /// What came at each connection, as far as it came at once.
    package var requests: [String] { heard.withLock { $0 } }
    package var address: String { "http://127.0.0.1:\(port)" }

    package convenience init(_ answer: String, holdsOpen: Bool = false) throws { try self.init([answer], holdsOpen: holdsOpen) }

    package init(_ answers: [String], holdsOpen: Bool = false) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw Fault(.failure, "no port on loopback") }
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        Worker.start { [weak self] in
            var answers = answers[...]
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 65_536)
                let count = recv(connection, &request, request.count, 0)
                self?.heard.withLock { $0.append(String(decoding: request.prefix(max(0, count)), as: UTF8.self)) }
                let bytes = Array((answers.first ?? "").utf8)
                if answers.count > 1 { answers = answers.dropFirst() }
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                if holdsOpen { _ = recv(connection, &request, request.count, 0) }
                // What is left unread would turn the close into a reset, which may overtake the answer.
                shutdown(connection, Int32(SHUT_WR))
                var patience = timeval(tv_sec: 0, tv_usec: 200_000)
                setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                while recv(connection, &request, request.count, 0) > 0 {}
                close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

import Glibc
import Models
import Support
import Testing

@testable import Cloud

/// A server on loopback that answers every connection with the same bytes.
private final class Server: Sendable {
    let port: UInt16
    private let listener: Int32

    init(_ answer: String, holdsOpen: Bool = false) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0 }
        }
        guard bound else { throw Fault(.failure, "no port on loopback") }
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        let bytes = Array(answer.utf8)
        Worker.start {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &request, request.count, 0)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                if holdsOpen { _ = recv(connection, &request, request.count, 0) }
                close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func source(patience: Int = 5) throws(Fault) -> HTTPModelSource { try HTTPModelSource("http://127.0.0.1:\(port)/models", patience: patience) }
}

@Suite struct HTTPModelSourceTests {
    @Test func whatTheServerHas() async throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        #expect(try await server.source().model(named: "m one.safetensors", limit: 5) == Array("hello".utf8))
        await #expect(throws: Fault.self) { try await server.source().model(named: "m", limit: 4) }
    }

    @Test(arguments: [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Fault.Code.noInput), ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", .failure),
        ("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", .failure), ("", .failure), ("SMTP?", .failure),
        ("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", .failure), ("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", .failure),
    ])
    func aServerThatFailsOrLies(_ answer: String, _ code: Fault.Code) async throws {
        let server = try Server(answer)
        do throws(Fault) {
            _ = try await server.source().model(named: "m", limit: 1000)
            Issue.record("no fault")
        } catch {
            #expect(error.code == code && error.message.contains("127.0.0.1"), "\(error)")
        }
    }

    @Test func aStalledServerIsLeft() async throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", holdsOpen: true)
        await #expect(throws: Fault.self) { try await server.source(patience: 1).model(named: "m", limit: 1000) }
    }

    @Test func aCancelledTaskEndsIt() async throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", holdsOpen: true), source = try server.source(patience: 600)
        let task = Task { try await source.model(named: "m", limit: 1000) }
        task.cancel()
        await #expect(throws: Fault.self) { try await task.value }
    }

    @Test func addresses() throws {
        for bad in ["ftp://x", "x", "", "https://a b"] { #expect(throws: Fault.self) { try HTTPModelSource(bad) } }
        #expect(try HTTPModelSource("https://x/").base == "https://x")
    }
}

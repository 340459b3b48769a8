import Glibc
import Support
import TestHelpers
import Testing

@testable import Updates

@Suite struct HTTPModelSourceTests {
    private func source(_ server: Server, patience: Int = 5) throws(Fault) -> HTTPModelSource {
        try HTTPModelSource("\(server.address)/models", patience: patience)
    }

    @Test func aBrokenDownloadGoesOn() async throws {
        let half = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\nhello"
        let server = try Server([
            half, "HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\nworld",
        ])
        #expect(try await source(server).model(named: "m", limit: 10) == Array("helloworld".utf8))
        let second = try #require(server.requests.dropFirst().first)
        #expect(second.contains("Range: bytes=5-\r\n") && second.contains("If-Range: \"a\"\r\n"))
        // The file became another meanwhile: from its beginning.
        let other = try Server([half, "HTTP/1.1 200 OK\r\nETag: \"b\"\r\nContent-Length: 5\r\n\r\nother"])
        #expect(try await source(other).model(named: "m", limit: 10) == Array("other".utf8))
        // A part that was not asked for, one too many, and never any end.
        for lie in [
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/10\r\nContent-Length: 5\r\n\r\nworld",
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-10/11\r\nContent-Length: 6\r\n\r\nworlds", half,
        ] {
            let server = try Server([half, lie])
            await #expect(throws: Fault.self) { try await source(server).model(named: "m", limit: 10) }
        }
    }

    @Test func whatTheServerHas() async throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        #expect(try await source(server).model(named: "m one.safetensors", limit: 5) == Array("hello".utf8))
        await #expect(throws: Fault.self) { try await source(server).model(named: "m", limit: 4) }
    }

    @Test(arguments: [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Fault.Code.noInput),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", .temporary),
        ("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", .temporary), ("", .temporary), ("SMTP?", .temporary),
        ("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", .failure),
        ("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", .failure),
    ])
    func aServerThatFailsOrLies(_ answer: String, _ code: Fault.Code) async throws {
        let server = try Server(answer)
        do throws(Fault) {
            _ = try await source(server).model(named: "m", limit: 1000)
            Issue.record("no fault")
        } catch {
            #expect(error.code == code && error.message.contains("127.0.0.1"), "\(error)")
        }
    }

    @Test func aStalledServerIsLeft() async throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", holdsOpen: true)
        await #expect(throws: Fault.self) { try await source(server, patience: 1).model(named: "m", limit: 1000) }
    }

    @Test func aCancelledTaskEndsIt() async throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", holdsOpen: true),
            source = try source(server, patience: 600)
        let task = Task { try await source.model(named: "m", limit: 1000) }
        task.cancel()
        await #expect(throws: Fault.self) { try await task.value }
    }

    @Test func addresses() throws {
        for bad in ["ftp://x", "x", "", "https://a b"] { #expect(throws: Fault.self) { try HTTPModelSource(bad) } }
        #expect(try HTTPModelSource("https://x/").base == "https://x")
    }
}

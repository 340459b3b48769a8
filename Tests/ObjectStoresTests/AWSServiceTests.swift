import Glibc
import Support
import TestHelpers
import Testing
import Transport
import Upload

@testable import ObjectStores

@Suite struct AWSServiceTests {
    private func bucket(_ server: Server, attempts: Int = 3) throws(Fault) -> S3Bucket {
        let keeper = CredentialsKeeper(.fixed(Credentials(accessKey: "AK", secretKey: "secret")), identity: nil)
        let service = AWSService(
            "s3", region: "us-east-1", client: HTTPClient(patience: 5), clock: ServerClock(), keeper: keeper, attempts: attempts)
        return S3Bucket("bkt", service: service, endpoint: try Endpoint(server.address))
    }

    private func failure(_ body: () throws(RemoteFailure) -> Void) -> RemoteFailure? {
        do throws(RemoteFailure) { try body() } catch { return error }
        return nil
    }

    @Test func aRedirectIsNotFollowedWithCredentials() throws {
        let elsewhere = try Server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        for status in [301, 302, 307, 308] {
            let server = try Server("HTTP/1.1 \(status) Moved\r\nLocation: \(elsewhere.address)/bkt/k\r\nContent-Length: 0\r\n\r\n"),
                bucket = try bucket(server)
            #expect(failure { () throws(RemoteFailure) in _ = try bucket.get("k", limit: 10, Stop()) }?.kind == .blocked)
            #expect(failure { () throws(RemoteFailure) in try bucket.delete("k", Stop()) }?.fault.code == .configuration)
            #expect(server.requests.count == 2 && server.requests[0].contains("Authorization: AWS4-HMAC-SHA256 Credential=AK/"))
        }
        #expect(elsewhere.requests.isEmpty)
    }

    @Test func connectionsThatBreakInTheMiddle() throws {
        let path = "/tmp/gaitway-break-\(getpid()).csv", ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        try Files.write([UInt8](repeating: 65, count: 4_000_000), to: path)
        defer { try? Files.remove(path) }
        let server = try Server(["", "HTTP/1.1 200", ok]), bucket = try bucket(server)
        try bucket.put(path, as: "k.csv", type: "text/csv", Stop())
        #expect(server.requests.count == 3)
        let deadServer = try Server(""), dead = try self.bucket(deadServer)
        #expect(
            failure { () throws(RemoteFailure) in try dead.put(path, as: "k.csv", type: "text/csv", Stop()) }?.kind
                == .temporary(retryAfter: nil) && deadServer.requests.count == 3)
        // An object goes on where it was.
        let half = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\nhello",
            rest = "HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\nworld"
        let breaking = try Server([half, rest]), other = try self.bucket(breaking)
        #expect(try other.get("k", limit: 10, Stop()) == Array("helloworld".utf8))
        #expect(breaking.requests.last?.contains("SignedHeaders=host;if-range;range;x-amz-content-sha256;x-amz-date") == true)
    }

    @Test func serversThatAskForPatience() throws {
        let ok = "HTTP/1.1 204 No Content\r\n\r\n", clock = ContinuousClock()
        let soon = try Server(["HTTP/1.1 503 Slow\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", ok]), bucket = try bucket(soon)
        let time = clock.measure { #expect(failure { () throws(RemoteFailure) in try bucket.delete("k", Stop()) } == nil) }
        #expect(time > .seconds(1))
        let byDate =
            """
            HTTP/1.1 503 Slow\r\nDate: Sat, 21 Nov 2026 16:00:00 GMT\r\nRetry-After: Sat, 21 Nov 2026 16:02:00 GMT\r\nContent-Length: \
            0\r\n\r\n
            """
        let datedServer = try Server(byDate), dated = try self.bucket(datedServer)
        #expect(
            failure { () throws(RemoteFailure) in try dated.delete("k", Stop()) }?.kind == .temporary(retryAfter: 120)
                && datedServer.requests.count == 1)
        // Too long to wait for: whoever called is told how long.
        let late = try Server("HTTP/1.1 503 Slow\r\nRetry-After: 100\r\nContent-Length: 0\r\n\r\n"), patient = try self.bucket(late)
        #expect(failure { () throws(RemoteFailure) in try patient.delete("k", Stop()) }?.kind == .temporary(retryAfter: 100))
        #expect(late.requests.count == 1)
    }

    @Test(arguments: [
        (400, "SlowDown", RemoteFailure.Kind.temporary(retryAfter: nil)), (500, "", .temporary(retryAfter: nil)),
        (429, "", .temporary(retryAfter: nil)),
        (403, "SignatureDoesNotMatch", .blocked), (403, "AccessDenied", .blocked), (404, "NoSuchBucket", .blocked),
        (404, "NoSuchKey", .refused), (400, "EntityTooLarge", .refused),
        (200, "lie", .refused),
    ])
    func answers(_ status: Int, _ code: String, _ kind: RemoteFailure.Kind) throws {
        let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>a &lt;b&gt;</Message></Error>"
        let server = try Server("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"),
            bucket = try bucket(server, attempts: 1)
        let found = failure { () throws(RemoteFailure) in _ = try bucket.keys(prefix: "u_", Stop()) }
        #expect(found?.kind == kind && found?.fault.message.contains("bkt") == true)
        if status != 200 && !code.isEmpty { #expect(found?.fault.message.contains("\(code): a <b>") == true) }
        #expect(found?.fault.message.contains("secret") == false)
    }

    @Test func aServerThatKnowsNoConditions() throws {
        let path = "/tmp/gaitway-501-\(getpid()).csv", no = "HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n",
            ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        try Files.write(Array("abc".utf8), to: path)
        defer { try? Files.remove(path) }
        let server = try Server([no, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", ok]), bucket = try bucket(server)
        try bucket.put(path, as: "k.csv", type: "text/csv", Stop())
        #expect(server.requests.count == 3 && server.requests[2].hasPrefix("PUT ") && !server.requests[2].contains("If-None-Match"))
        let other = try Server([no, "HTTP/1.1 200 OK\r\nx-amz-meta-sha256: 00\r\nContent-Length: 0\r\n\r\n"]),
            taken = try self.bucket(other)
        #expect(
            failure { () throws(RemoteFailure) in try taken.put(path, as: "k.csv", type: "text/csv", Stop()) }?.kind == .taken
                && other.requests.count == 2)
    }

    @Test func listsThatDoNotGoOn() throws {
        let page = "<R><IsTruncated>true</IsTruncated><Key>a</Key></R>",
            server = try Server("HTTP/1.1 200 OK\r\nContent-Length: \(page.count)\r\n\r\n\(page)"), bucket = try bucket(server)
        #expect(failure { () throws(RemoteFailure) in _ = try bucket.keys(prefix: "u_", Stop()) }?.fault.code == .badData)
        let endless = "<R><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></R>"
        let second = try Server("HTTP/1.1 200 OK\r\nContent-Length: \(endless.count)\r\n\r\n\(endless)"), other = try self.bucket(second)
        #expect(failure { () throws(RemoteFailure) in _ = try other.keys(prefix: "u_", Stop()) }?.fault.code == .badData)
    }

    @Test func endpoints() throws {
        #expect(try Endpoint("https://s3.example.org/").origin == "https://s3.example.org")
        #expect(try Endpoint("http://127.0.0.1:9000").host == "127.0.0.1:9000")
        #expect(throws: Fault.self) { try Endpoint("http://s3.example.org") }
        #expect(throws: Fault.self) { try Endpoint("http://127.0.0.1.example.org") }
        #expect(throws: Fault.self) { try Endpoint("http://localhost@example.org") }
        #expect(try Endpoint("http://s3.example.org", allowsHTTP: true).host == "s3.example.org")
        for bad in ["", "s3.example.org", "ftp://x", "https://", "https://a b"] { #expect(throws: Fault.self) { try Endpoint(bad) } }
    }
}

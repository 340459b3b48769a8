import Glibc
import Support
import Synchronization
import TestHelpers
import Testing

@testable import Transport

@Suite struct TransferLoopTests {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

    @Test func silentServersHoldUpNobody() async throws {
        let client = HTTPClient(patience: 30)
        let silent = try (0..<12).map { _ in try Server("", holdsOpen: true) }
        let waiting = silent.map { server in Task { try await client.send(HTTPRequest(url: server.address)) } }
        let server = try Server(Self.good), answer = try await client.send(HTTPRequest(url: server.address))
        #expect(answer.status == 200 && answer.body == Array("ok".utf8))
        for task in waiting { task.cancel() }
        for task in waiting {
            let result = await task.result
            #expect(throws: HTTPClient.Interruption.self) { try result.get() }
        }
    }

    @Test func aStopEndsAWaitAtOnce() throws {
        let server = try Server("", holdsOpen: true), stop = Stop(), done = WakeEvent()
        let worker = Worker.start {
            do throws(HTTPClient.Interruption) {
                _ = try HTTPClient(patience: 30).sendAndWait(HTTPRequest(url: server.address), stop)
                Issue.record("an answer came")
            } catch {
                #expect(error.fault.message.contains("was cancelled"))
            }
            done.raise()
        }
        while server.requests.isEmpty { usleep(1000) }
        stop.raise()
        #expect(done.wait(milliseconds: 20_000))
        worker.join()
    }

    @Test func whatIsCancelledBeforeItBeginsEnds() async throws {
        let server = try Server(Self.good)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await HTTPClient().send(HTTPRequest(url: server.address))
        }
        task.cancel()
        // Either it was cancelled in time or the answer was there first: it ends.
        _ = await task.result
    }

    @Test func aBodyGoesAndAHeaderCannotBeSplit() async throws {
        let server = try Server(Self.good)
        let request = HTTPRequest(
            method: "POST", url: server.address, headers: [("X-One", "a\0b"), ("X-Two", "c")], body: .bytes(Array("hello".utf8)))
        #expect(try await HTTPClient().send(request).status == 200)
        let said = try #require(server.requests.first)
        #expect(
            said.hasPrefix("POST / HTTP/1.1\r\n") && said.contains("X-One: ab\r\nX-Two: c\r\n") && said.contains("Content-Length: 5\r\n"))
    }

    @Test func headersAreBoundedAndCounted() async throws {
        let server = try Server(Self.good), answer = try await HTTPClient().send(HTTPRequest(url: server.address))
        #expect(answer.received == Self.good.utf8.count)
        // Of an answer that never begins, too.
        for (first, line) in [("HTTP/1.1 200 OK\r\n", "X-1: a\r\n"), ("", "HTTP/1.1 100 Continue\r\n\r\n")] {
            let endless = try Server(first + String(repeating: line, count: (70 << 10) / line.utf8.count))
            await #expect {
                try await HTTPClient().send(HTTPRequest(url: endless.address))
            } throws: { error in
                let found = error as? HTTPClient.Interruption
                return found?.fault.code == .badData && found?.fault.message.contains("headers") == true
                    && (found?.response.received ?? 0) > 64 << 10
            }
        }
    }

    @Test func aBodyInPiecesIsReceived() throws {
        let server = try Server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhelloworld"), pieces = Pieces()
        let answer = try HTTPClient().sendAndWait(HTTPRequest(url: server.address)) { pieces.add($0) }
        #expect(answer.body.isEmpty && pieces.all == Array("helloworld".utf8))
    }
}

private final class Pieces: Sendable {
    private let bytes: Mutex<[UInt8]> = Mutex([])
    func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
    var all: [UInt8] { bytes.withLock { $0 } }
}

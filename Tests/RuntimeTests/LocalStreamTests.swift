import Foundation
import Glibc
import Recognition
import Sensing
import Support
import TestHelpers
import Testing

@testable import Runtime

/// A sensor for tests.
private final class Sensor: SampleSource {
    let name = "lis3dh (iio:device0) through its buffer", sensor = "lis3dh", names = ["lis3dh", "iio:device0", "0"]
    let rate = 50_000, isLive = true

    func read(into block: inout SampleBlock) throws(Fault) -> Bool { false }

    /// Blocks of 64 samples, each of them its number.
    static func block(_ number: Int, gap: Bool = false) -> SampleBlock {
        var block = SampleBlock(capacity: 64)
        (block.count, block.time, block.followsGap) = (64, Int64(number) * 1_280_000_000, gap)
        for index in 0..<192 { block.samples[index] = Int16(number) }
        return block
    }
}

@Suite struct LocalStreamTests {
    private func pair() -> (reader: CInt, writer: CInt) {
        var ends: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// All lines that wait at a socket.
    private func lines(_ file: CInt) -> [JSONValue] {
        var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 65536)
        while case let count = recv(file, &piece, piece.count, CInt(MSG_DONTWAIT)), count > 0 { bytes += piece.prefix(count) }
        return bytes.split(separator: 10).map { JSONValue(parsing: Array($0)) ?? .null }
    }

    @Test func whatIsAskedForComes() throws {
        let stream = LocalStream(), (reader, writer) = pair(), sensor = Sensor()
        defer { close(reader) }
        #expect(throws: Fault.self, "there is no source yet") { try stream.add(writer, events: [.samples]) }
        stream.begin(sensor)
        try stream.add(writer, events: [.samples, .health])
        stream.take(Sensor.block(3, gap: true), of: sensor)
        let found = lines(reader)
        #expect(found.map { $0["event"]?.text } == ["hello", "health", "samples"])
        #expect(found[0]["sensor"]?.text == "lis3dh" && found[0]["rate"]?.number == 50_000)
        #expect(found[2]["gap"] == true && found[2]["time"]?.number == 3_840_000_000)
        guard case .array(let values)? = found[2]["xyz"] else { throw Fault(.failure, "no samples") }
        #expect(values.count == 192 && values.allSatisfy { $0.number == 3 })
        // The sensor goes away: that is told at once, and once.
        var empty = SampleBlock(capacity: 64)
        empty.count = 0
        stream.take(empty, of: sensor)
        stream.take(empty, of: sensor)
        #expect(lines(reader).map { $0["samples_come"] } == [false])
    }

    @Test func aSlowReaderLosesLinesAndIsToldHowMany() throws {
        let stream = LocalStream(), (reader, writer) = pair(), sensor = Sensor()
        defer { close(reader) }
        stream.begin(sensor)
        try stream.add(writer, events: [.samples])
        let began = SystemTime.monotonic
        for number in 0..<3000 { stream.take(Sensor.block(number), of: sensor) }
        #expect(SystemTime.monotonic - began < 20_000_000_000, "the loop waits for nobody")
        let first = lines(reader)
        stream.take(Sensor.block(3000), of: sensor)
        let rest = lines(reader), all = first + rest
        #expect(!all.contains(.null), "no line is cut")
        let told = all.filter { $0["event"]?.text == "lost" }.compactMap { $0["lines"]?.number }.reduce(0, +)
        #expect(told > 0 && all.filter { $0["event"]?.text == "samples" }.count + Int(told) == 3001)
    }

    @Test func aReaderThatLeftIsForgotten() throws {
        let stream = LocalStream(), sensor = Sensor()
        stream.begin(sensor)
        for _ in 0..<40 { // more than may read at once
            let (reader, writer) = pair()
            try stream.add(writer, events: [.samples])
            close(reader)
        }
        stream.take(Sensor.block(1), of: sensor)
    }

    @Test func tooManyReadersAreRefused() throws {
        let stream = LocalStream()
        stream.begin(Sensor())
        var ends: [CInt] = []
        defer { for end in ends { close(end) } }
        for _ in 0..<16 {
            let (reader, writer) = pair()
            ends.append(reader)
            try stream.add(writer, events: [.model])
        }
        let (reader, writer) = pair()
        ends += [reader, writer]
        #expect(throws: Fault(.temporary, "16 programs read the stream already", remedy: "End one of them.")) {
            try stream.add(writer, events: [.model])
        }
    }

    @Test func anotherProgramsSamplesAreTheSensors() throws {
        let stream = LocalStream(), sensor = Sensor(), path = temporaryDirectory() + "/control.sock"
        stream.begin(sensor)
        let server = try ControlServer(at: path) { _, caller in
            do throws(Fault) {
                try stream.add(caller.file, events: [.samples])
                return .taken
            } catch {
                return .line("{}")
            }
        }
        defer { server.stop() }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600, "nobody else's group")
        // A program never reads its own stream.
        #expect(throws: Fault.self) { try StreamSource(at: path, device: nil, cancellation: Stop()) }
    }
}

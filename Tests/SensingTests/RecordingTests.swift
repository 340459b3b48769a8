import Glibc
import Support
import Testing

@testable import Sensing

private func made(_ label: String = "walking", count: Int = 1000, rate: Int = 100_000) -> Recording {
    var random = RandomNumbers(seed: 5)
    return Recording(label: label, rate: rate, samples: (0..<count * 3).map { _ in Int16(random.below(65536) - 32768) })
}

private func temporaryStore() throws -> RecordingStore {
    try RecordingStore(making: "/tmp/gaitway-\(getpid())-recordings-\(UInt32.random(in: 0 ... .max))/inside")
}

@Suite struct RecordingFormatTests {
    /// The numbers of Swift-HAR's own time column: a Float that 0.01 is added to.
    @Test func swiftHARsText() {
        let lines = String(decoding: RecordingFormat.gaitway.encode(made()), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 1001 && lines[0] == "time,accelx,accely,accelz")
        let times = lines.dropFirst().map { $0.split(separator: ",")[0] }
        #expect(times[0] == "0.0" && times[1] == "0.01" && times[2] == "0.02" && times[5] == "0.049999997" && times[999] == "9.990133")
        #expect(lines.last?.isEmpty == false, "no newline at the end")
        let half = RecordingFormat.gaitway.encode(Recording(label: "a", rate: 50_000, samples: [4096, -2048, 1, 0, 0, 0]))
        #expect(String(decoding: half, as: UTF8.self) == "time,accelx,accely,accelz\n0.0,1.0,-0.5,0.00024414062\n0.02,0.0,0.0,0.0")
    }

    @Test(arguments: RecordingFormat.allCases, [100_000, 50_000, 52_000, 104_000]) func everyFormatKeepsEverySample(
        _ format: RecordingFormat, _ rate: Int
    ) throws {
        let recording = made(rate: rate), bytes = format.encode(recording)
        var kept = recording
        // -8 g has no positive counterpart in Q3.12.
        if format == .iphone { kept.samples = recording.samples.map { max($0, -32767) } }
        #expect(try format.decode(format.encode(kept), label: "walking", path: "f") == kept)
        for count in stride(from: 0, to: min(bytes.count, 3000), by: 7) {
            _ = try? format.decode(Array(bytes.prefix(count)), label: "a", path: "f")
        }
        #expect(RecordingFormat.guess(bytes) == (format == .gaitway ? .iphone : format))
    }

    /// Times in milliseconds make a little more than 400 Hz of 400 Hz.
    @Test func ratesAreThoseThatASensorHas() throws {
        #expect(try CSVRecording.rate(400.4, path: "f") == 400_000 && CSVRecording.rate(9.99, path: "f") == 10_000)
        #expect(try CSVRecording.rate(104.5, path: "f") == 104_500)
        for hertz in [9.9, 401, .nan] { #expect(throws: Fault.self) { try CSVRecording.rate(hertz, path: "f") } }
    }

    /// Whatever bytes a file has, reading it ends in a recording or in a fault.
    @Test(arguments: RecordingFormat.allCases) func changedBytesNeverTrap(_ format: RecordingFormat) {
        let whole = format.encode(made(count: 12)), marks = Array(",.-eE\n\"{}[]0918:\u{0}\u{ff}".utf8)
        var random = RandomNumbers(seed: 21), read = 0
        for _ in 0..<4000 {
            var bytes = whole
            for _ in 0...random.below(4) {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = UInt8(random.below(256))
                case 1: bytes[place] = marks[random.below(marks.count)]
                case 2: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + random.below(40))], at: place)
                }
            }
            if let recording = try? format.decode(bytes, label: "a", path: "f") {
                read += 1
                #expect((10_000...400_000).contains(recording.rate) && recording.samples.count % 3 == 0 && recording.count >= 2)
            }
            _ = RecordingFormat.guess(bytes)
        }
        #expect(read > 50 && read < 3900, "\(read)")
    }

    /// A phone that lies face up measures -1 g where Linux says +1 g.
    @Test func aPhonesSignsAreTurned() throws {
        let text = "time,accelx,accely,accelz\n0.0,0.0,0.5,-0.98413086\n0.01,0.0,0.0,-1.0"
        #expect(try RecordingFormat.iphone.decode(Array(text.utf8), label: "still", path: "f").samples == [0, -2048, 4031, 0, 0, 4096])
    }

    @Test func edgeImpulsesJSON() throws {
        let text = """
            {"protected":{"ver":"v1","alg":"HS256","iat":1},"signature":"ab",
            "payload":{"device_name":"a","device_type":"b","interval_ms":16,
            "sensors":[{"name":"gyrX","units":"dps"},{"name":"accX","units":"g"},{"name":"accY","units":"g"},{"name":"accZ","units":"g"}],
            "values":[[9,0,0.5,1],[9,0,0,-9]]}}
            """
        let recording = try RecordingFormat.edgeImpulse.decode(Array(text.utf8), label: "x", path: "f")
        #expect(recording == Recording(label: "x", rate: 62_500, samples: [0, 2048, 4096, 0, 0, -32768]))
        for (wrong, right) in [("accX", "accel"), ("\"g\"", "\"V\""), ("[9,0,0,-9]", "[9,0,0]"), ("16,", "0,")] {
            #expect(throws: Fault.self) {
                try RecordingFormat.edgeImpulse.decode(
                    Array(text.split(separator: wrong, omittingEmptySubsequences: false).joined(separator: right).utf8), label: "x",
                    path: "f")
            }
        }
    }

    @Test func labelsInFileNames() {
        #expect(RecordingFormat.iphone.label(ofFile: "/a/b/walking_201757-9305.csv") == "walking")
        #expect(RecordingFormat.gaitway.label(ofFile: "WALKING_UPSTAIRS_20261121-090305.csv") == "WALKING_UPSTAIRS")
        #expect(RecordingFormat.edgeImpulse.label(ofFile: "idle.s1.json.12ab.json") == "idle")
    }
}

@Suite struct RecordingStoreTests {
    @Test func whatIsKeptComesBackInOrder() throws {
        let store = try temporaryStore(), moment = CalendarTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5)
        let first = try store.add(made("walking"), at: moment), second = try store.add(made("walking", count: 20), at: moment)
        var earlier = moment
        earlier.minute = 3
        let compatible = try store.add(made("curls", count: 30), at: moment, isCompatible: true)
        try store.add(made("standing_still", count: 10), at: earlier)
        #expect(
            first.hasSuffix("/walking_20260102-030405.csv") && second.hasSuffix("/walking_20260102-030405.2.csv")
                && compatible.hasSuffix("/curls_202612-345.csv"))
        #expect(try store.labels() == ["standing_still", "walking", "curls"])
        #expect(try store.entries().map { try store.read($0).count } == [10, 1000, 20, 30])
        try store.delete(try store.entry("walking_20260102-030405"))
        #expect(try store.entries().count == 3)
        #expect(throws: Fault.self) { try store.entry("walking_20260102-030405") }
    }

    @Test func whatIsThereAlreadyIsLeft() throws {
        let store = try temporaryStore(), moment = CalendarTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5)
        let all = [10, 20, 30].map { (recording: made("walking", count: $0), moment: moment) }
        var asked = 0
        let fault = #expect(throws: Fault.self) {
            try store.add(all) {
                asked += 1
                return asked > 2
            }
        }
        #expect(try #require(fault).message.contains("interrupted; 2 of 3 recordings are in ") && store.entries().count == 2)
        #expect(try store.add(all).map(\.isNew) == [false, false, true])
        #expect(try store.entries().map { try store.read($0).count }.sorted() == [10, 20, 30])
    }

    @Test func namesThatCannotBe() throws {
        let store = try temporaryStore()
        try store.add(made("walking", count: 10), at: .now)
        for label in ["", "Walking", "a/b", ".hidden", "a,b", "a\nb", String(repeating: "x", count: 65)] {
            #expect(throws: Fault.self, "\(label)") { try store.check(label) }
        }
        for label in ["walking", "Gehen, nicht".filter { $0 != "," }, "歩く", "under_score"] { try store.check(label) }
        try Files.write(RecordingFormat.gaitway.encode(made(count: 10)), to: "\(store.directory)/WALKING_20200101-000000.csv")
        #expect(throws: Fault.self) { try store.labels() }
    }
}

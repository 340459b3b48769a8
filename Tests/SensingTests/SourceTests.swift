import Glibc
import Support
import Testing

@testable import Sensing

func temporaryFile(_ name: String, _ text: String) throws -> String { try temporaryFile(name, Array(text.utf8)) }

func temporaryFile(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "/tmp/gaitway-\(getpid())-\(UInt32.random(in: 0 ... .max))-\(name)" // cases of one test run side by side
    try Files.write(bytes, to: path)
    return path
}

func allSamples(of source: any SampleSource, block: Int = 64) throws -> [Int16] {
    var samples: [Int16] = [], buffer = SampleBlock(capacity: block)
    while try source.read(into: &buffer) { samples += buffer.samples.prefix(buffer.count * 3) }
    return samples
}

func fault(_ body: () throws -> Void) -> Fault? {
    do { try body() } catch { return error as? Fault }
    return nil
}

@Suite struct RecordedSourceTests {
    @Test func countsBecomeG() throws {
        let counts: [Int16] = [720, -720, 0, 1, -1, 32767]
        let path = try temporaryFile("a.i16", counts.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
        #expect(try allSamples(of: RecordedSource(path: path)) == [4096, -4096, 0, 6, -6, 32767])
    }

    /// The public archive's texts are the same counts as decimals.
    @Test func textEqualsCounts() throws {
        let counts: [Int16] = [661, -81, 362, 1439, -1440, 7]
        let lines = stride(from: 0, to: 6, by: 3).map { i in counts[i..<i + 3].map { "\(Double($0) / 720)" }.joined(separator: " ") }
        let path = try temporaryFile("acc.txt", lines.joined(separator: "\r\n") + "\n")
        #expect(try HAPTRecordings.counts(path: path) == counts)
    }

    @Test func aRecordingCutInASampleIsRefused() throws {
        let path = try temporaryFile("cut.i16", [1, 2, 3, 4, 5, 6, 7])
        let found = fault { _ = try RecordedSource(path: path) }
        #expect(found?.code == .badData && found?.message.contains("middle of a sample") == true)
    }

    /// A minute without samples is none of the rate, and no two samples follow each other over it.
    @Test func aGapInTheTimeIsAGap() throws {
        let times = (0..<100).map { Double($0) / 50 } + (0..<60).map { 62 + Double($0) / 50 }
        let lines = times.enumerated().map { "\($1),\(Double($0) / 100),0,1" }
        let path = try temporaryFile("gap.csv", (["time,x,y,z"] + lines).joined(separator: "\n") + "\n")
        let source = try RecordedSource(path: path)
        #expect(source.rate == 50_000)
        var block = SampleBlock(capacity: 200), seen: [(count: Int, gap: Bool, seconds: Double)] = []
        while try source.read(into: &block) { seen.append((block.count, block.followsGap, Double(block.time) / 1e9)) }
        #expect(seen.map(\.count) == [100, 60] && seen.map(\.gap) == [false, true])
        #expect(seen[0].seconds == 0 && seen[1].seconds == 62)
        // What phones lose or write late is none.
        let late = (0..<400).map { "\(Double($0 / 50) + Double($0 % 50) * 0.003),0,0,1" }
        let other = try temporaryFile("late.csv", (["time,x,y,z"] + late).joined(separator: "\n") + "\n")
        let bursts = try CSVRecording(path: other)
        #expect(bursts.gaps.isEmpty && abs(bursts.rate - 55_000) < 2000)
        let years = try temporaryFile("years.csv", "time,x,y,z\n0,0,0,1\n0.02,0,0,1\n1e12,0,0,1\n")
        #expect(fault { _ = try CSVRecording(path: years) }?.code == .badData)
    }

    @Test func csvIsReadExactly() throws {
        let path = try temporaryFile("b.csv", "\u{feff}time,x,y,z\n0.00,1.000244140625,-0.5,0\n0.01,9,-9,0.1\n0.02,1e-3,+2.,.5\n")
        let source = try RecordedSource(path: path)
        #expect(source.rate == 100_000)
        #expect(try allSamples(of: source) == [4097, -2048, 0, 32767, -32768, 410, 4, 8192, 2048])
    }

    @Test(arguments: [
        ("", "no column"), ("time,x,y\n", "no column"), ("time,x,y,z\n0,1,2,3\n", "fewer than two"),
        ("time,x,y,z\n0,1,2,3\n0,1,2,3\n", "does not follow"),
        ("time,x,y,z\n0,1,2,3\n1,1,2\n", "expected 4 fields"), ("time,x,y,z\n0,1,2,3\n0.02,a,2,3\n", "not an acceleration"),
        ("time,x,y,z\n0,1,2,3\n20,1,2,3\n", "10 to 400 Hz"), ("time,x,y,z\nnan,1,2,3\n1,1,2,3\n", "does not follow"),
    ])
    func badCSV(_ text: String, _ complaint: String) throws {
        let path = try temporaryFile("bad.csv", text)
        let found = fault { _ = try RecordedSource(path: path) }
        #expect(found?.code == .badData && found?.message.contains(complaint) == true, "\(String(describing: found))")
    }

    @Test func aDirectoryPlaysAllWithGaps() throws {
        let directory = "/tmp/gaitway-\(getpid())-hapt"
        mkdir(directory, 0o755)
        try Files.write(Array("recording,user,samples,file\n1,1,2,a.i16\n2,1,1,b.i16\n".utf8), to: "\(directory)/recordings.csv")
        try Files.write(
            Array("recording,user,activity,label,first,last\n1,1,5,STANDING,1,2\n2,1,12,LIE_TO_STAND,1,1\n".utf8),
            to: "\(directory)/labels.csv")
        try Files.write([UInt8](repeating: 0, count: 12), to: "\(directory)/a.i16")
        try Files.write([UInt8](repeating: 1, count: 6), to: "\(directory)/b.i16")
        let source = try RecordedSource(path: directory)
        var block = SampleBlock(capacity: 64)
        #expect(try source.read(into: &block) && block.count == 2 && !block.followsGap && block.time == 0)
        #expect(try source.read(into: &block) && block.count == 1 && block.followsGap && block.time == 40_000_000)
        #expect(try !source.read(into: &block) && block.count == 0)
        let table = try HAPTRecordings(directory: directory)
        #expect(table.segments.map(\.range) == [0..<2, 0..<1] && table.segments.map(\.activity) == [5, 12])

        try Files.write(Array("recording,user,activity,label,first,last\n1,1,13,JUMPING,1,2\n".utf8), to: "\(directory)/labels.csv")
        #expect(fault { _ = try HAPTRecordings(directory: directory) }?.message.contains("activity 13 is unknown") == true)
        try Files.write(Array("recording,user,samples,file\n1,1,2,../a.i16\n".utf8), to: "\(directory)/recordings.csv")
        #expect(fault { _ = try HAPTRecordings(directory: directory) }?.message.contains("not a plain file name") == true)
        try Files.write([], to: "\(directory)/recordings.csv")
        #expect(fault { _ = try HAPTRecordings(directory: directory) }?.code == .badData)
    }
}

@Suite struct SimulatedWearerTests {
    @Test func theSeedDecides() throws {
        func play(_ script: String, block: Int) throws -> [Int16] { try allSamples(of: SimulatedWearer(try .init(script)), block: block) }
        let first = try play("seed=4,stand=3,walk=4", block: 64)
        #expect(first.count == 7 * 50 * 3)
        #expect(try play("seed=4,stand=3,walk=4", block: 7) == first)
        #expect(try play("seed=5,stand=3,walk=4", block: 64) != first)
    }

    @Test func scriptsRepeat() throws {
        let script = try SimulatedWearer.Script("stand=1,sit=2,repeat")
        #expect(script.repeats && script.steps.count == 2)
        #expect(try !SimulatedWearer.Script("stand=1,sit=2").repeats)
        let source = SimulatedWearer(script)
        var block = SampleBlock(capacity: 500)
        #expect(try source.read(into: &block))
        #expect(block.count == 500)
    }

    /// Standing still is 1 g; the sine that replaces the C library's is one.
    @Test func gravityIsOneG() throws {
        let samples = try allSamples(of: SimulatedWearer(try .init("stand=10")))
        for i in stride(from: 0, to: samples.count, by: 3) {
            let square = samples[i..<i + 3].reduce(0.0) { $0 + Double($1) * Double($1) }
            #expect(abs(square.squareRoot() / 4096 - 1) < 0.08)
        }
        for step in -1000...1000 { #expect(abs(sine(Double(step) / 400) - sin(Double(step) / 200 * .pi)) < 2e-4) }
    }

    @Test(arguments: ["fly=3", "walk", "walk=0", "walk=-1", "walk=x", "seed=-1", "repeat=2"])
    func aWrongScriptIsAUsageFault(_ text: String) {
        #expect(fault { _ = try SourceSpecification("simulated:\(text)") }?.code == .usage)
    }
}

@Suite struct SpecificationTests {
    @Test func forms() throws {
        #expect(try SourceSpecification("iio") == .iio(device: nil, uri: nil))
        #expect(try SourceSpecification("iio:iio:device0") == .iio(device: "iio:device0", uri: nil))
        #expect(try SourceSpecification("iio:ip:board.local") == .iio(device: nil, uri: "ip:board.local"))
        #expect(try SourceSpecification("recording:/a:b") == .recording(path: "/a:b"))
        #expect(try SourceSpecification("simulated") == .simulated(.endless))
        for text in ["", "iio:", "recording", "recording:", "telepathy"] {
            #expect(fault { _ = try SourceSpecification(text) }?.code == .usage, "\(text)")
        }
    }

    @Test func mountMatrices() throws {
        #expect(try Mount(matrix: "1, 0, 0; 0, 1, 0; 0, 0, 1") == nil)
        #expect(try Mount(matrix: "") == nil)
        var block = SampleBlock(capacity: 1)
        (block.samples, block.count) = ([100, 200, 300], 1)
        try #require(try Mount(matrix: "0, -1, 0; 1, 0, 0; 0, 0, 0.5\n")).rotate(&block)
        #expect(block.samples == [-200, 100, 150])
        for text in ["1,0,0;0,1,0", "1,0;0,1;0,0", "a,0,0;0,1,0;0,0,1", "2,0,0;0,1,0;0,0,1"] {
            #expect(fault { _ = try Mount(matrix: text) }?.code == .badData, "\(text)")
        }
    }

    @Test func faultsOfTheKernelHaveTheirCodes() {
        #expect(Fault(iio: -EACCES, doing: "x").code == .permission)
        #expect(Fault(iio: -EBUSY, doing: "x").description.contains("iio-sensor-proxy"))
        #expect(Fault(iio: -ENODEV, doing: "x").code == .sensorUnavailable)
    }
}

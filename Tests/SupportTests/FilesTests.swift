import Glibc
import Testing

@testable import Support

/// A directory of its own for each test, gone afterwards.
func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("/tmp/gaitway-test-XXXXXX".utf8CString)
    let path = String(cString: mkdtemp(&template))
    defer { _ = system("rm -rf '\(path)'") }
    return try body(path)
}

@Suite struct FilesTests {
    /// The kernel says ENOENT there although the parent exists.
    @Test func aDirectoryThatCannotBeMadeIsAFault() { #expect(throws: Fault.self) { try Files.makeDirectory("/proc/gaitway/state") } }

    @Test func wholeFilesComeBack() throws {
        try withTemporaryDirectory { directory in
            for size in [0, 1, 4095, 1 << 20, (1 << 20) + 1] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                try Files.write(bytes, to: "\(directory)/file")
                #expect(try Files.read("\(directory)/file", limit: 1 << 21) == bytes)
            }
            #expect(try Files.list(directory) == ["file"], "no temporary file is left")
        }
    }

    @Test func whatIsThereIsNotMadeAgain() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            let first = try Files.make([1], at: path), second = try Files.make([2], at: path)
            #expect(first && !second)
            #expect(try Files.read(path, limit: 9) == [1])
            #expect(try Files.list(directory) == ["file"])
            #expect { _ = try Files.make([1], at: "\(directory)/no/such") } throws: { ($0 as? Fault)?.code == .noInput }
        }
    }

    @Test func aPlaceForAFileIsKnownBeforehand() throws {
        try withTemporaryDirectory { directory in
            try Files.requirePlace(for: "\(directory)/file")
            try Files.requirePlace(for: "/dev/null")
            #expect { try Files.requirePlace(for: directory) } throws: { ($0 as? Fault)?.code == .usage }
            #expect { try Files.requirePlace(for: "\(directory)/no/such") } throws: { ($0 as? Fault)?.code == .noInput }
            #expect { try Files.requirePlace(for: "") } throws: { ($0 as? Fault)?.code == .usage }
            #expect(mkfifo("\(directory)/pipe", 0o600) == 0)
            #expect { try Files.requirePlace(for: "\(directory)/pipe") } throws: { ($0 as? Fault)?.code == .usage }
        }
    }

    /// They say that they are as long as a page.
    @Test func filesOfTheKernelAreReadWithinSmallLimits() throws {
        #expect(try Files.read("/sys/devices/system/cpu/online", limit: 64).last == UInt8(ascii: "\n"))
    }

    @Test func whatIsReadIsNotReplaced() throws {
        try withTemporaryDirectory { directory in
            let rows = "\(directory)/rows.csv", link = "\(directory)/link.csv", model = "\(directory)/model"
            let samples = "\(directory)/walk.i16"
            for path in [rows, model, samples] { try Files.write([1], to: path) }
            #expect(symlink(rows, link) == 0)
            for path in [rows, link, "\(directory)/../\(directory.split(separator: "/").last ?? "")/rows.csv"] {
                #expect { try Files.requirePlace(for: path, reading: [rows]) } throws: { ($0 as? Fault)?.code == .usage }
                #expect { try Files.requirePlace(for: path, reading: [directory]) } throws: { ($0 as? Fault)?.code == .usage }
            }
            #expect { try Files.requirePlace(for: samples, reading: [directory]) } throws: { ($0 as? Fault)?.code == .usage }
            // What is no recording, or not there yet.
            for path in [model, "\(directory)/new.csv"] { try Files.requirePlace(for: path, reading: [directory, rows]) }
        }
    }

    /// Beyond what 64 bits of nanoseconds hold.
    @Test func aFileOfAFarYearHasATime() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/file"
            try Files.write([1], to: path)
            var times = [timespec(tv_sec: 10_000_000_000, tv_nsec: 0), timespec(tv_sec: 10_000_000_000, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
            #expect(try Files.modified(path) >= 9_000_000_000_000_000_000)
        }
    }

    @Test func aDeviceIsWrittenToAndStaysOne() throws {
        try Files.write([1, 2, 3], to: "/dev/null")
        #expect(!Files.isFile("/dev/null"))
        let full = #expect(throws: Fault.self) { try Files.write([1], to: "/dev/full") }
        #expect(full?.message.contains("/dev/full") == true)
        #expect(!Files.isFile("/dev/full"))
    }

    @Test func aFaultNamesPathAndCause() throws {
        try withTemporaryDirectory { directory in
            try Files.write([1, 2, 3], to: "\(directory)/three")
            #expect(throws: Fault(.badData, "\(directory)/three is longer than 2 bytes", remedy: "Is it the right file?")) {
                try Files.read("\(directory)/three", limit: 2)
            }
            #expect(try Files.read("\(directory)/three", limit: 3) == [1, 2, 3])
            #expect(throws: Fault(.noInput, "\(directory)/none does not exist")) { try Files.read("\(directory)/none", limit: 9) }
            #expect(throws: Fault.self) { try Files.read(directory, limit: 9) }
            #expect { try Files.write([1], to: "\(directory)/no/such") } throws: { ($0 as? Fault)?.code == .noInput }
        }
    }
}

@Suite struct NumbersTests {
    @Test func decimals() {
        #expect(Decimals.text(197, over: 100, places: 1) == "2.0")
        #expect(Decimals.text(-5, over: 1000, places: 2) == "-0.01")
        #expect(Decimals.text(-4, over: 1000, places: 2) == "0.00")
        #expect(Decimals.text(128, over: 50, places: 2) == "2.56")
        #expect(Decimals.text(7, over: 2, places: 0) == "4")
        #expect(Decimals.text(0.91371, places: 3) == "0.914")
        #expect(Decimals.text(.nan, places: 3) == "nan")
    }

    /// SplitMix64's published first numbers for seed 1234567.
    @Test func randomNumbersAreSplitMix64() {
        var random = RandomNumbers(seed: 1_234_567)
        #expect((0..<3).map { _ in random.next() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test func boundedNumbersReachEveryValue() {
        var random = RandomNumbers(seed: 1), seen = [Int](repeating: 0, count: 7)
        for _ in 0..<7000 { seen[random.below(7)] += 1 }
        #expect(seen.allSatisfy { (800...1200).contains($0) })
        var order = Array(0..<100)
        random.shuffle(&order)
        #expect(order.sorted() == Array(0..<100) && order != Array(0..<100))
        let normals = (0..<20_000).map { _ in random.normal() }
        let mean = normals.reduce(0, +) / 20_000, variance = normals.reduce(0) { $0 + $1 * $1 } / 20_000
        #expect(abs(mean) < 0.03 && abs(variance - 1) < 0.05)
    }
}

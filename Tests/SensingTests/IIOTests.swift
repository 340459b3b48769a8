import Glibc
import Support
import Testing

@testable import Sensing

private let period: Int64 = 20_000_000

@Suite struct SampleClockTests {
    /// The samples missing before each of `times`, read in blocks.
    private func missing(_ times: [Int64], block: Int = 64) -> (found: [Int], timeline: SampleClock) {
        var timeline = SampleClock(rate: 50_000), found: [Int] = []
        for start in stride(from: 0, to: times.count, by: block) {
            let part = Array(times[start..<min(start + block, times.count)])
            for index in part.indices { found.append(timeline.missing(before: index, in: part, count: part.count)) }
        }
        return (found, timeline)
    }

    @Test(arguments: [1, 7, 64, 200]) func missingSamplesAreCounted(block: Int) {
        let times = (0..<200).map { (i: Int64) -> Int64 in (i + (i >= 100 ? 1 : 0) + (i >= 150 ? 30 : 0)) * period }
        let found = missing(times, block: block).found
        #expect(found.enumerated().filter { $0.element > 0 }.map { [$0.offset, $0.element] } == [[100, 1], [150, 30]])
    }

    @Test func aLateSampleIsNotAMissingOne() {
        // The 50th comes 15 ms late, the next in time.
        let times = (0..<100).map { (i: Int64) -> Int64 in i * period + (i == 50 ? 15_000_000 : 0) }
        #expect(missing(times).found.allSatisfy { $0 == 0 })
    }

    @Test func theRateIsThatOfTheTimes() {
        var (_, timeline) = missing((0..<500).map { (i: Int64) -> Int64 in i * period * 100 / 104 })
        #expect(timeline.rate == 52_000)
        #expect(timeline.recentRate(over: 5) == 52_000)
        #expect(timeline.recentRate(over: 5) == nil, "it begins anew")
    }

    @Test func whatAnOverrunLeavesOutIsNotASlowSensor() {
        #expect(missing((0..<500).map { (i: Int64) -> Int64 in (i + (i >= 250 ? 100 : 0)) * period }).timeline.rate == 50_000)
    }

    @Test func timesThatStandStillOrGoBackDoNotTrap() {
        #expect(missing([5, 5, 5, 1, Int64.max, Int64.min / 2, 0]).found.count == 7)
    }
}

@Suite struct SensorTests {
    private func accelerometer(_ name: String, id: String, parent: String = "", label: String = "") -> Accelerometer {
        Accelerometer(
            id: id, name: name, label: label, parent: parent, trigger: "", scales: ["1", "1", "1"], offsets: ["", "", ""], rate: "",
            rates: "", triggerRate: "",
            mount: "", hasBuffer: true, needsTrigger: true, hasUnknownLayout: false)
    }

    @Test func trap14ASensorIsKnownAgainUnderAnotherNumber() {
        let left = accelerometer("lis3dh", id: "iio:device0", parent: "/sys/devices/i2c-1/1-0018")
        let right = accelerometer("lis3dh", id: "iio:device1", parent: "/sys/devices/i2c-1/1-0019")
        let other = accelerometer("mma8452", id: "iio:device0")
        let known = IIOSelection(device: "iio:device1", known: right)
        var swapped = [other, right, left]
        (swapped[1].id, swapped[2].id) = ("iio:device2", "iio:device1")
        #expect(known.index(in: swapped) == 1)
        #expect(known.index(in: [other, left]) == 1, "the same chip elsewhere, when its place is empty")
        #expect(known.index(in: [other]) == nil)
    }

    @Test func aSensorIsNamedInFourWays() {
        let found = [accelerometer("mma8452", id: "iio:device0"), accelerometer("lis3dh", id: "iio:device3", label: "wrist")]
        for name in ["lis3dh", "wrist", "iio:device3", "3"] {
            #expect(IIOSelection(device: name, known: nil).index(in: found) == 1, "\(name)")
        }
        #expect(IIOSelection(device: nil, known: nil).index(in: found) == 0)
        #expect(IIOSelection(device: "bmc150", known: nil).index(in: found) == nil)
    }

    @Test(arguments: [
        ("", "50"), ("1 10 25 50 100 200 400", "50"), ("12.5 26 52 104", "52"), ("7.81 15.63 31.25", "31.25"), ("[1 1 400]", "50.000"),
        ("[0.5 12.5 800]", "50.500"), ("[100 1 200]", "100.000"), ("[1 1 25]", "25.000"), ("x y", "50"),
    ]) func trap11ARateIsChosenFromListsAndRanges(available: String, rate: String) {
        #expect(SamplingRates.choose(from: available) == rate)
    }

    @Test func trap12RestIsOneG() {
        func block(_ x: Int16, moving: Int16 = 0) -> [Int16] { (0..<64).flatMap { [$0 % 2 == 0 ? x : x + moving, 0, 0] } }
        #expect(RestCheck.suspicious(block(4096), count: 64) == nil)
        #expect(RestCheck.suspicious(block(8192), count: 64) == 2)
        #expect(RestCheck.suspicious(block(0), count: 64) == 0)
        #expect(RestCheck.suspicious(block(8192, moving: 400), count: 64) == nil, "it moves")
        #expect(RestCheck.suspicious(block(8192), count: 24) == nil, "too few to tell")
        #expect(RestCheck.suspicious([Int16](repeating: .min, count: 192), count: 64) != nil)
    }

    @Test func trap16AMissingPermissionNamesFileRuleAndGroup() {
        let fault = Fault(iio: -EACCES, doing: "capture from lis3dh", refused: "/dev/iio:device0")
        #expect(fault.code == .permission)
        for word in ["/dev/iio:device0", "60-gaitway.rules", "usermod -aG iio"] { #expect(fault.description.contains(word)) }
    }

    @Test func theHolderOfAFileIsNamed() throws {
        let path = try temporaryFile("held", "x")
        let file = open(path, O_RDONLY)
        defer { close(file) }
        #expect(DeviceHolder.find(path).contains { $0.hasSuffix("(process \(getpid()))") })
        #expect(DeviceHolder.find(path + "-not").isEmpty)
    }

    @Test func trap15TheDriverRefusesItsBuffer() {
        let device = accelerometer("bmc150", id: "iio:device0")
        #expect(IIOSession.fault(-EINVAL, of: device, polled: false, refused: "").condition == .bufferRefused)
        for (error, polled) in [(-EINVAL, true), (-EBUSY, false), (-EACCES, false), (-ENODEV, false)] {
            #expect(IIOSession.fault(error, of: device, polled: polled, refused: "").condition == nil)
        }
    }
}

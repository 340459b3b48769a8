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

    @Test(arguments: [0, 1, 30]) func theLastSampleOfABlockWaitsForTheNextBlock(_ gone: Int64) {
        // It is 15 ms late, or samples are missing before it.
        let times = (0..<128).map { (i: Int64) -> Int64 in
            i * period + (i == 63 && gone == 0 ? 15_000_000 : 0) + (i >= 63 ? gone * period : 0)
        }
        var clock = SampleClock(rate: 50_000), found: [Int] = []
        let first = Array(times[..<64])
        for index in 0..<63 { found.append(clock.missing(before: index, in: first, count: 63)) }
        #expect(clock.isUndecided(first, count: 64) && !clock.isUndecided(first, count: 63))
        let rest = Array(times[63...])
        for index in rest.indices { found.append(clock.missing(before: index, in: rest, count: rest.count)) }
        #expect(found.enumerated().filter { $0.element > 0 }.map(\.offset) == (gone == 0 ? [] : [63]))
        #expect(found.reduce(0, +) == Int(gone))
    }

    /// Blocks of 64 that come at those times, ns: what is missing before each.
    private func missing(arriving times: [Int64]) -> (found: [Int], clock: SampleClock) {
        var clock = SampleClock(rate: 50_000)
        let found = times.map { clock.missing(beforeBlockOf: 64, at: $0, block: 64, waiting: 4) }
        return (found, clock)
    }

    @Test func aLateWakeUpIsNoGapWhereSamplesHaveNoTimes() {
        let times = (0..<40).map { (i: Int64) -> Int64 in i * 64 * period + (i % 7 == 3 ? 12_500_000 : 0) + (i == 20 ? 3_000_000_000 : 0) }
        #expect(missing(arriving: times).found.allSatisfy { $0 == 0 }, "the kernel keeps four blocks")
    }

    @Test func withoutTimesTheGapLiesBehindWhatTheKernelKept() {
        // The reader stops for 12.8 s after the third block.
        let stop = 3 * 64 * period
        let times = [0, 1, 2].map { $0 * 64 * period } + (0..<5).map { stop + 9 * 64 * period + $0 } + [stop + 10 * 64 * period]
        let found = missing(arriving: times).found
        #expect(found.firstIndex { $0 > 0 } == 7 && found[7] == 6 * 64 && found.filter { $0 > 0 }.count == 1)
    }

    @Test(arguments: [25, 50, 100]) func countOverTimeIsTheRate(_ hertz: Int64) {
        var clock = missing(arriving: (0..<20).map { (i: Int64) -> Int64 in i * 64 * 1_000_000_000 / hertz }).clock
        #expect(clock.rate == Int(hertz) * 1000 && clock.recentRate(over: 5_000_000_000) == Int(hertz) * 1000)
    }

    @Test func theRateIsThatOfTheTimes() {
        var (_, timeline) = missing((0..<500).map { (i: Int64) -> Int64 in i * period * 100 / 104 })
        #expect(timeline.rate == 52_000)
        #expect(timeline.recentRate(over: 5_000_000_000) == 52_000)
        #expect(timeline.recentRate(over: 5_000_000_000) == nil, "it begins anew")
    }

    @Test func whatAnOverrunLeavesOutIsNotASlowSensor() {
        #expect(missing((0..<500).map { (i: Int64) -> Int64 in (i + (i >= 250 ? 100 : 0)) * period }).timeline.rate == 50_000)
    }

    @Test func aSlowSensorMissesNoSample() {
        let times = (0..<64).map { (i: Int64) -> Int64 in i * 2 * period }
        var clock = SampleClock(rate: 50_000), found: [Int] = []
        clock.begin(times, count: 64)
        for index in times.indices { found.append(clock.missing(before: index, in: times, count: 64)) }
        #expect(found.allSatisfy { $0 == 0 } && !clock.isUndecided(times, count: 64) && clock.rate == 25_000)
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
        var known = IIOSelection(device: "iio:device1")
        known.know(right, among: [right])
        var swapped = [other, right, left]
        (swapped[1].id, swapped[2].id) = ("iio:device2", "iio:device1")
        #expect(known.index(in: swapped) == 1)
        #expect(known.index(in: [other, left]) == 1, "the same kind of chip that was not there before")
        #expect(known.index(in: [other]) == nil)
    }

    @Test func anotherChipOfItsNameIsNotTakenForIt() {
        let left = accelerometer("lis3dh", id: "iio:device0", parent: "/sys/devices/i2c-1/1-0018")
        let right = accelerometer("lis3dh", id: "iio:device1", parent: "/sys/devices/i2c-1/1-0019")
        let moved = accelerometer("lis3dh", id: "iio:device1", parent: "/sys/devices/usb1/i2c-4/4-0018")
        var selection = IIOSelection(device: "iio:device1")
        selection.know(right, among: [left, right])
        #expect(selection.index(in: [left]) == nil, "it was there beside the known one")
        #expect(selection.index(in: [left, moved]) == 1, "plugged in elsewhere")
        #expect(selection.index(in: [left, moved, right]) == 2)
    }

    @Test func aChipBesideAClockOfItsOwnMeasuresTwiceAsFast() {
        var chip = accelerometer("lis3dh", id: "iio:device0")
        chip.rates = "1 10 25 50 100 200 400"
        (chip.trigger, chip.triggerRate) = ("gaitway0", "50.000")
        #expect(chip.chipRate(for: 50_000, polled: false) == "100")
        #expect(chip.chipRate(for: 50_000, polled: true) == "100")
        (chip.trigger, chip.triggerRate) = ("lis3dh-trigger", "")
        #expect(chip.chipRate(for: 50_000, polled: false) == "50", "its own data-ready trigger")
        (chip.trigger, chip.triggerRate) = ("gpio-irq", "")
        #expect(chip.chipRate(for: 50_000, polled: false) == "50", "of a clock that tells no rate the chip's is all that is known")
    }

    /// Full scales of real drivers: st_accel, bmc150, mpu6050, one of a single range, one whose words say nothing of the chip.
    @Test(
        arguments: [
            (12, "0.009806", "0.009806 0.019613 0.039226 0.117678", "0.039226"),
            (12, "0.009582", "0.009582 0.019163 0.038344 0.076653", "0.038344"),
            (16, "0.000598", "0.000598 0.001196 0.002392 0.004785", "0.002392"), (10, "0.019163", "0.019163 0.038326", "0.038326"),
            (12, "0.076653", "0.009582 0.019163 0.038344 0.076653", nil), (12, "0.009582", "", nil),
            (12, "0.009582", "[0.001 0.02 0.1]", nil),
            (10, "0.038344", "0.038344 0.076688 0.153277", "0.076688"), (32, "0.000010", "0.000010 0.000020", nil),
            (0, "0.009582", "0.009582 0.038344", nil),
        ] as [(Int, String, String, String?)]) func theRangeIsWidenedWhereItIsShort(
            bits: Int, scale: String, offered: String, expected: String?
        )
    {
        var chip = accelerometer("lis3dh", id: "iio:device0")
        (chip.bits, chip.scales, chip.offeredScales) = (bits, [scale, scale, scale], offered)
        #expect(chip.scale(reaching: 8) == expected)
        #expect(chip.scale(reaching: 0) == nil)
        #expect(chip.widened(to: 8).scales[2] == expected ?? scale)
    }

    @Test(arguments: [
        ([51_000], [RateWatch.Verdict.fine]), ([52_500], [.off]), ([100_000, 100_900], [.setUpAgain, .take(100_450)]),
        ([100_000, 70_000, 70_000], [.setUpAgain, .setUpAgain, .take(70_000)]),
        ([70_000, 50_000, 70_000], [.setUpAgain, .fine, .setUpAgain]),
        ([2_000_000, 2_000_000], [.setUpAgain, .setUpAgain]),
    ]) func aRateThatStaysFarOffIsTaken(measured: [Int], verdicts: [RateWatch.Verdict]) {
        var watch = RateWatch()
        #expect(measured.map { watch.judge($0, against: 50_000) } == verdicts)
    }

    @Test func aMeasuredRateCountsForTheRateThatIsAnnounced() {
        var selection = IIOSelection(device: nil)
        selection.measured = (99_870, 50_000)
        #expect(selection.rate(announced: 50_000) == 99_870 && selection.rate(announced: 25_000) == 25_000)
    }

    @Test func whatCannotBeUsedIsTriedLessAndLessOften() {
        var attempts = SensorReturn()
        let never = Stop(), odd = Fault(.sensorUnavailable, "its scale is no number", condition: .sensorUnusable)
        attempts.begin()
        let atOnce = attempts.isDue(unless: never)
        let lines = [attempts.failed(Fault(.sensorUnavailable, "gone")), attempts.failed(Fault(.sensorUnavailable, "gone"))]
        let aSecondLater = attempts.isDue(unless: never)
        _ = (attempts.failed(odd), attempts.failed(odd))
        let withinTwoSeconds = attempts.isDue(unless: never)
        #expect(atOnce && aSecondLater && !withinTwoSeconds && lines == [true, false])
    }

    @Test func aSensorIsNamedInFourWays() {
        let found = [accelerometer("mma8452", id: "iio:device0"), accelerometer("lis3dh", id: "iio:device3", label: "wrist")]
        for name in ["lis3dh", "wrist", "iio:device3", "3"] {
            #expect(IIOSelection(device: name).index(in: found) == 1, "\(name)")
        }
        #expect(IIOSelection(device: nil).index(in: found) == 0)
        #expect(IIOSelection(device: "bmc150").index(in: found) == nil)
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
        #expect(RestCheck.suspicious(block(8192, moving: 600), count: 64) == nil, "it moves")
        #expect(RestCheck.suspicious(block(8192), count: 24) == nil, "too few to tell")
        #expect(RestCheck.suspicious([Int16](repeating: .min, count: 192), count: 64) != nil)
        // Of m/s2 taken for g an axis is at the end of what can be said, and the others shake more than anybody's.
        func seconds(_ g: Int16, _ count: Int) -> [Int16] { (0..<count * 50).flatMap { [g, $0 % 2 == 0 ? 0 : 300, 0] } }
        #expect(RestCheck.suspicious([seconds(32767, 3), seconds(32767, 2)], rate: 50_000).map { $0 > 7.9 } == true)
        #expect(RestCheck.suspicious([seconds(32767, 3)], rate: 50_000) == nil, "too few to tell")
        #expect(RestCheck.suspicious([seconds(4096, 9)], rate: 50_000) == nil, "it moves")
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
        for mode in [CaptureMode.fifo, .triggered] {
            #expect(IIOSession.fault(-EINVAL, of: device, mode: mode, refused: "").condition == .bufferRefused)
        }
        for (error, mode) in [(-EINVAL, CaptureMode.polled), (-EBUSY, .triggered), (-EACCES, .fifo), (-ENODEV, .triggered)] {
            #expect(IIOSession.fault(error, of: device, mode: mode, refused: "").condition != .bufferRefused)
        }
    }
}

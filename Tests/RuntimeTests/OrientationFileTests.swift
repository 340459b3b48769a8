import Logging
import Recognition
import Support
import TestHelpers
import Testing

@testable import Runtime

@Suite struct OrientationFileTests {
    /// As if walked `windows` windows with the sensor's z axis up.
    private func learnt(_ windows: Int64) throws -> Orientation {
        var numbers = [Int64](repeating: 0, count: Orientation.count)
        (numbers[0], numbers[1], numbers[6]) = (windows, windows, windows * 4096)
        return try Orientation(numbers)
    }

    private func file(_ directory: String, source: String = "a sensor", _ time: FakeTime = FakeTime()) -> OrientationFile {
        OrientationFile(source: source, directory: directory, clock: time.clock, log: quiet)
    }

    @Test func itIsThereAfterARestart() throws {
        let directory = temporaryDirectory() + "/state", orientation = try learnt(20)
        var first = file(directory)
        #expect(first.load() == nil)
        first.take(nil)
        first.take(try learnt(3))
        #expect(!Files.exists(directory), "too little to be kept")
        first.take(orientation)
        var again = file(directory), other = file(directory, source: "another sensor")
        #expect(again.load() == orientation && other.load() == nil)
    }

    @Test func whatWasJustLearntIsDueAtOnce() throws {
        let directory = temporaryDirectory()
        var file = file(directory)
        file.note(.learnt)
        file.take(try learnt(20))
        file.note(.learnt)
        #expect(!file.isDue)
        // Turned, and learnt anew.
        file.note(.unknown)
        #expect(!file.isDue)
        file.note(.learnt)
        #expect(file.isDue)
        file.take(try learnt(30))
        #expect(!file.isDue)
        var again = self.file(directory)
        #expect(try again.load() == learnt(30))
    }

    @Test func itIsLookedAtEveryTenMinutes() throws {
        let directory = temporaryDirectory(), time = FakeTime()
        var file = file(directory, time)
        file.take(try learnt(3))
        #expect(!file.isDue)
        time.pass(10)
        #expect(file.isDue, "it is looked at soon while it is not known")
        file.take(try learnt(20))
        time.pass(599)
        #expect(!file.isDue)
        time.pass(1)
        #expect(file.isDue)
        file.take(try learnt(21))
        var reader = self.file(directory)
        #expect(reader.load() == (try learnt(21)) && !file.isDue)
    }

    @Test(arguments: ["", "gaitway-orientation 2\na sensor\n1 2 x\n", "gaitway-orientation 2\na sensor\n9223372036854775807 1\n", "other"])
    func damageIsLearntAnew(_ text: String) throws {
        let directory = temporaryDirectory()
        try Files.write(Array(text.utf8), to: directory + "/orientation")
        var file = file(directory)
        #expect(file.load() == nil)
        file.take(try learnt(20))
        #expect(file.load() == (try learnt(20)))
    }

    @Test func aWordAmongTheNumbersIsDamage() throws {
        let directory = temporaryDirectory(), path = directory + "/orientation"
        var file = file(directory)
        file.take(try learnt(20))
        let text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        try Files.write(Array(text.replacing(" 0", with: " foo 0", maxReplacements: 1).utf8), to: path)
        #expect(file.load() == nil && OrientationFile.latest(directory: directory) == nil)
        try Files.write(Array(text.replacing("orientation 2", with: "orientation 1").utf8), to: path)
        #expect(file.load() == nil && OrientationFile.latest(directory: directory) == nil)
        try Files.write(Array(text.utf8), to: path)
        #expect(try file.load() == learnt(20) && OrientationFile.latest(directory: directory) == learnt(20))
    }

    @Test func aFullDiskStopsNothing() throws {
        let directory = temporaryDirectory() + "/file"
        try Files.write([1], to: directory)
        var file = file(directory)
        file.take(try learnt(20))
        #expect(file.load() == nil)
    }
}

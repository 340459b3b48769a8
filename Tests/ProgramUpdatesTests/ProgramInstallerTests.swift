import Cryptography
import Glibc
import HubProtocol
import Support
import Synchronization
import TestHelpers
import Testing

@testable import ProgramUpdates

/// A machine whose one package is a text: its version, and how its program does. Time passes when somebody waits.
private final class FakeMachine: PackageManager {
    struct Installed: Equatable { var version: String, text: String }
    private let state: Mutex<(installed: Installed, isHalf: Bool, failures: Int, began: Double, now: Double)>

    init() { state = Mutex((Installed(version: "0.1.0+deb12", text: "good"), false, 0, 0, 1000)) }

    /// Of what is installed, for a minute.
    var watch: ProgramWatch {
        ProgramWatch(
            seconds: 60, now: { self.state.withLock { $0.now } }, pause: { self.state.withLock { $0.now += 0.5 } },
            status: { () throws(Fault) in try self.status() })
    }

    var installed: Installed { state.withLock { $0.installed } }
    func breakOff() { state.withLock { $0.isHalf = true } }
    func fail(_ times: Int) { state.withLock { $0.failures = times } }

    func version(of package: String) async throws(Fault) -> String? { state.withLock { $0.isHalf ? nil : $0.installed.version } }

    func identity(of file: String) async throws(Fault) -> (name: String, version: String) {
        let words = String(decoding: try Files.read(file, limit: 1000), as: UTF8.self).split(separator: " ").map(String.init)
        return (words[0], words[1])
    }

    func unpack(_ file: String, to directory: String) async throws(Fault) {
        try Files.makeDirectory(directory + "/usr/bin")
        try Files.write(try Files.read(file, limit: 1000), to: directory + "/usr/bin/gaitway")
    }

    func pack(_ package: String, to file: String) async throws(Fault) {
        let now = installed
        try Files.write(Array("\(package) \(now.version) \(now.text)".utf8), to: file)
    }

    func install(_ files: [String]) async throws(Fault) {
        let words = String(decoding: try Files.read(files[0], limit: 1000), as: UTF8.self).split(separator: " ").map(String.init)
        let fails = state.withLock { state in
            if state.failures > 0 {
                (state.failures, state.isHalf) = (state.failures - 1, true)
                return true
            }
            (state.installed, state.isHalf, state.began) = (Installed(version: words[1], text: words[2]), false, state.now)
            return false
        }
        if fails { throw Fault(.failure, "no space left on device") }
    }

    func repair() async { state.withLock { $0.isHalf = false } }

    /// What `gaitway status --json` says of what is installed.
    func status() throws(Fault) -> JSONValue {
        let (now, age) = state.withLock { ($0.installed, $0.now - $0.began) }
        switch now.text {
        case "crashes": throw Fault(.noInput, "no gaitway runs")
        case "restarts": return answer(uptime: age.truncatingRemainder(dividingBy: 40), windows: age)
        case "hangs": return answer(uptime: age, windows: 1)
        case "survives": return answer(uptime: age + 1000, windows: age)
        default: return answer(uptime: age, windows: age)
        }
    }

    private func answer(uptime: Double, windows: Double) -> JSONValue {
        ["uptime_seconds": .number(uptime), "windows": .number(windows.rounded(.down)), "last_decision": .number(SystemTime.wallTime)]
    }
}

@Suite struct ProgramInstallerTests {
    private let folder = temporaryDirectory(), directory = temporaryDirectory(), key = SigningKey(), machine = FakeMachine()

    private func installer(_ name: String? = nil, trial: String? = nil) -> ProgramInstaller {
        ProgramInstaller(
            arm64, trusting(key), machine, machine.watch, folder: folder, directory: directory, name: name, own: "0.1.0",
            trial: { _, _ async throws(Fault) in trial }, progress: { _ in })
    }

    private func leave(_ version: String, _ how: String, model: String? = nil, signer: SigningKey? = nil, number: Int? = nil) throws {
        let text = "gaitway \(version)+deb12 \(how)"
        try SignedFiles(version, package: text, with: signer ?? key, model: model, number: number).leave(in: folder)
    }

    private var state: ProgramState { get throws { try ProgramState.read(directory) } }

    @Test func aGoodOneStays() async throws {
        #expect(try await installer().run() == .nothing)
        try leave("0.2.0", "good")
        #expect(try await installer().run() == .installed(version: "0.2.0"))
        #expect(machine.installed == .init(version: "0.2.0+deb12", text: "good"))
        #expect(try state.current == 2000 && state.highest == 2000 && state.pending == nil)
        #expect(try Files.list(folder).contains("request") == false)
        #expect(try Files.list(directory).sorted() == ["lock", "state.json"])
        // Never down, nor twice.
        for version in ["0.2.0", "0.1.9"] {
            try leave(version, "good")
            await #expect(throws: Fault.self) { try await installer().run() }
            #expect(machine.installed.version == "0.2.0+deb12")
        }
    }

    @Test(arguments: ["crashes", "restarts", "hangs"]) func aBadOneIsTakenBack(how: String) async throws {
        try leave("0.2.0", how)
        guard case .refused("0.2.0", let reason) = try await installer().run() else { return #expect(Bool(false), "it was not refused") }
        #expect(machine.installed == .init(version: "0.1.0+deb12", text: "good"))
        #expect(try state.refused.map(\.reason) == [reason] && state.refused[0].wasRunning && state.current == nil)
        let expected = [
            "crashes": "it did not answer within 30 s", "restarts": "it ended, and was started again", "hangs": "decided nothing",
        ]
        #expect(reason.contains(try #require(expected[how])))
        // And not tried again.
        try leave("0.2.0", "good")
        await #expect(throws: Fault.self) { try await installer().run() }
        try leave("0.2.1", "good")
        #expect(try await installer().run() == .installed(version: "0.2.1"))
    }

    @Test func aServiceThatWasNotStartedAgainSaysNothingOfTheNewOne() async throws {
        try leave("0.2.0", "survives")
        guard case .refused(_, let reason) = try await installer().run() else { return #expect(Bool(false), "it was not refused") }
        #expect(reason.contains("the program before it still runs"))
    }

    @Test func whatFailsOnTheSimulatedWearerIsNotInstalled() async throws {
        try leave("0.2.0", "good")
        #expect(try await installer(trial: "it says SITTING").run() == .refused(version: "0.2.0", reason: "it says SITTING"))
        #expect(machine.installed.version == "0.1.0+deb12")
        #expect(try state.refused.map(\.wasRunning) == [false])
    }

    @Test func aFullDiskIsNotTheReleasesFault() async throws {
        for attempt in 1...3 {
            try leave("0.2.0", "good")
            machine.fail(1)
            if attempt < 3 {
                await #expect(throws: Fault.self) { try await installer().run() }
                #expect(try state.refused.isEmpty && state.obstacle?.contains("no space") == true && state.pending == nil)
            } else {
                guard case .refused = try await installer().run() else { return #expect(Bool(false), "three times are enough") }
            }
            #expect(machine.installed.version == "0.1.0+deb12")
        }
    }

    @Test func aPowerCutEndsInOneOfTheTwo() async throws {
        try leave("0.2.0", "good")
        _ = try await installer().run()
        // Before anything of the next was installed, in the middle of it, and (below) after it.
        for half in [false, true] {
            var cut = try state
            cut.pending = .init(number: 3000, version: "0.3.0", before: ["gaitway": "0.2.0+deb12"], after: ["gaitway": "0.3.0+deb12"])
            try cut.write(directory)
            if half {
                machine.breakOff()
                try Files.makeDirectory(directory + "/old")
                try Files.write(Array("gaitway 0.2.0+deb12 good".utf8), to: directory + "/old/gaitway.deb")
            }
            await #expect(throws: Fault.self) { try await installer().run() }
            #expect(machine.installed.version == "0.2.0+deb12")
            #expect(try state.pending == nil && state.obstacle != nil)
        }
        var cut = try state
        cut.pending = .init(number: 2000, version: "0.2.0", before: ["gaitway": "0.1.0+deb12"], after: ["gaitway": "0.2.0+deb12"])
        try cut.write(directory)
        #expect(try await installer().run() == .installed(version: "0.2.0"))
    }

    @Test func whatNobodyTrustedSignedIsNotInstalled() async throws {
        try leave("0.2.0", "good", signer: SigningKey())
        #expect(await fault()?.code == .permission)
        try leave("0.2.0", "good", number: 5000)
        #expect(await fault()?.message.contains("was signed as number 5000") == true)
        try leave("0.2.0", "good", model: "other")
        #expect(await fault("gaitway")?.message.contains("was signed as other") == true)
        // The service's user puts another package in its place.
        try leave("0.2.0", "good")
        try Files.write(Array("gaitway 0.2.0+deb12 evil".utf8), to: folder + "/gaitway.deb")
        #expect(await fault() != nil)
        #expect(machine.installed == .init(version: "0.1.0+deb12", text: "good"))
        #expect(try state.highest == 0)
    }

    private func fault(_ name: String? = nil) async -> Fault? {
        do throws(Fault) { _ = try await installer(name).run() } catch { return error }
        return nil
    }

    @Test func linksAndPipesAreNotRead() async throws {
        try leave("0.2.0", "good")
        let secret = temporaryDirectory() + "/secret"
        try Files.write(Array("secret".utf8), to: secret)
        for name in ["release.json", "gaitway.deb"] {
            try Files.remove("\(folder)/\(name)")
            #expect(symlink(secret, "\(folder)/\(name)") == 0)
            #expect(await fault() != nil)
            try Files.remove("\(folder)/\(name)")
            #expect(mkfifo("\(folder)/\(name)", 0o600) == 0)
            try Files.write([1], to: folder + "/request")
            #expect(await fault()?.message.contains("is no file") == true)
            try Files.remove("\(folder)/\(name)")
            try leave("0.2.0", "good")
        }
        #expect(symlink(folder, directory + "/link") == 0)
        #expect(throws: Fault.self) { if try HandedOver(directory + "/link") != nil {} }
    }

    @Test func aBoardThatDecidesNothingWaits() async throws {
        try leave("0.2.0", "good")
        let silent = ProgramInstaller(
            arm64, trusting(key), machine, ProgramWatch(seconds: 1) { () throws(Fault) in throw Fault(.noInput, "no gaitway runs") },
            folder: folder, directory: directory, own: "0.1.0", trial: { _, _ async throws(Fault) in nil }, progress: { _ in })
        await #expect(throws: Fault.self) { try await silent.run() }
        #expect(try state.obstacle?.contains("decides nothing") == true && state.highest == 0)
    }
}

@Suite struct ProgramTrialTests {
    private func lines(_ activities: [String]) -> [UInt8] { Array(activities.map { "{\"activity\":\"\($0)\"}\n" }.joined().utf8) }

    @Test func oneThatSaysTheSameOfAllIsFound() {
        let old = lines(Array(repeating: ["WALKING", "SITTING", "STANDING", "LAYING"], count: 25).flatMap(\.self))
        #expect(ProgramTrial.verdict(of: old, beside: old) == nil)
        #expect(ProgramTrial.verdict(of: lines(Array(repeating: "SITTING", count: 100)), beside: old)?.contains("SITTING") == true)
        #expect(ProgramTrial.verdict(of: lines(["SITTING", "WALKING"]), beside: old)?.contains("2 windows") == true)
        #expect(ProgramTrial.verdict(of: Array("what?".utf8), beside: old) != nil)
    }
}

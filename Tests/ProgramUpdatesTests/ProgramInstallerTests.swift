import Cryptography
import Glibc
import HubProtocol
import ModelStore
import Support
import Synchronization
import TestHelpers
import Testing

@testable import ProgramUpdates

/// A machine whose one package is a text: its version, and how its program does. Time passes when somebody waits.
private final class FakeMachine: PackageManager {
    struct Installed: Equatable { var version: String, text: String }
    private struct State {
        var installed = Installed(version: "0.1.0+deb12", text: "good")
        var isHalf = false, isSilent = false
        var failures = 0
        /// s: when the service began, and now.
        var began = 0.0, now = 1000.0
    }
    private let state = Mutex(State())

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

    func putBack(_ files: [String]) async throws(Fault) { try await install(files) }

    func repair() async { state.withLock { $0.isHalf = false } }

    /// What `gaitway status --json` says of what is installed.
    func status() throws(Fault) -> JSONValue {
        let (now, age) = state.withLock { ($0.installed, $0.now - $0.began) }
        switch now.text {
        case "crashes": throw Fault(.noInput, "no gaitway runs")
        case "restarts": return answer(uptime: age.truncatingRemainder(dividingBy: 40), windows: age)
        case "pulled":
            // The sensor is gone for good.
            state.withLock { $0.isSilent = true }
            return answer(uptime: age, windows: 1)
        case "hangs": return answer(uptime: age, windows: 1)
        case "survives": return answer(uptime: age + 1000, windows: age)
        default: return answer(uptime: age, windows: state.withLock { $0.isSilent } ? 1 : age)
        }
    }

    private func answer(uptime: Double, windows: Double) -> JSONValue {
        ["uptime_seconds": .number(uptime), "windows": .number(windows.rounded(.down)), "last_decision": .number(SystemTime.wallTime)]
    }
}

@Suite struct ProgramInstallerTests {
    private let folder = temporaryDirectory(), directory = temporaryDirectory(), key = SigningKey(), machine = FakeMachine()

    private var files: ProgramFiles { ProgramFiles(directory, program: "/bin/true") }

    private func installer(
        _ name: String = "gaitway", trial: Result<String?, Fault> = .success(nil), now: ProgramWatch? = nil
    ) -> ProgramInstaller {
        let key = key
        return ProgramInstaller(
            files, machine, now ?? machine.watch, own: "0.1.0", trial: { _, _ async throws(Fault) in try trial.get() }, progress: { _ in },
            board: { ProgramInstaller.Board(arm64, TrustedKeys(key.verifying), name: name) })
    }

    private func run(_ installer: ProgramInstaller) async throws -> ProgramInstaller.Outcome { try await installer.run(folder) }

    private func leave(_ version: String, _ how: String, model: String? = nil, signer: SigningKey? = nil, number: Int? = nil) throws {
        let text = "gaitway \(version)+deb12 \(how)"
        try SignedFiles(version, package: text, with: signer ?? key, model: model, number: number).leave(in: folder)
    }

    private var state: ProgramState { get throws { try ProgramState.read(directory) } }

    @Test func aGoodOneStays() async throws {
        #expect(try await run(installer()) == .nothing)
        try leave("0.2.0", "good")
        #expect(try await run(installer()) == .installed(version: "0.2.0"))
        #expect(machine.installed == .init(version: "0.2.0+deb12", text: "good"))
        #expect(try state.current == 2000 && state.highest == 2000 && state.pending == nil)
        #expect(try Files.list(folder).contains("request") == false)
        #expect(try Files.list(directory).sorted() == ["lock", "state.json"])
        // Never down, nor twice.
        for version in ["0.2.0", "0.1.9"] {
            try leave(version, "good")
            await #expect(throws: Fault.self) { try await run(installer()) }
            #expect(machine.installed.version == "0.2.0+deb12")
        }
    }

    @Test(arguments: ["crashes", "restarts", "hangs"]) func aBadOneIsTakenBack(how: String) async throws {
        try leave("0.2.0", how)
        guard case .refused("0.2.0", let reason) = try await run(installer()) else { return #expect(Bool(false), "it was not refused") }
        #expect(machine.installed == .init(version: "0.1.0+deb12", text: "good"))
        #expect(try state.refused.map(\.reason) == [reason] && state.refused[0].wasRunning && state.current == nil)
        let expected = [
            "crashes": "it did not answer within 30 s", "restarts": "it ended, and was started again", "hangs": "decided nothing",
        ]
        #expect(reason.contains(try #require(expected[how])))
        // And not tried again.
        try leave("0.2.0", "good")
        await #expect(throws: Fault.self) { try await run(installer()) }
        try leave("0.2.1", "good")
        #expect(try await run(installer()) == .installed(version: "0.2.1"))
    }

    @Test func aServiceThatWasNotStartedAgainSaysNothingOfTheNewOne() async throws {
        try leave("0.2.0", "survives")
        #expect(await fault()?.message.contains("the program before it still runs") == true)
        #expect(try state.refused.isEmpty && machine.installed.version == "0.1.0+deb12")
    }

    @Test func whatFailsOnTheSimulatedWearerIsNotInstalled() async throws {
        try leave("0.2.0", "good")
        #expect(try await run(installer(trial: .success("it says SITTING"))) == .refused(version: "0.2.0", reason: "it says SITTING"))
        #expect(machine.installed.version == "0.1.0+deb12")
        #expect(try state.refused.map(\.wasRunning) == [false])
    }

    @Test func aFullDiskIsNotTheReleasesFault() async throws {
        for attempt in 1...8 {
            try leave("0.2.0", "good")
            machine.fail(1)
            if attempt < 8 {
                #expect(await fault()?.code == .temporary)
                #expect(try state.refused.isEmpty && state.obstacle?.contains("no space") == true && state.pending == nil)
            } else {
                guard case .refused = try await run(installer()) else { return #expect(Bool(false), "eight times are enough") }
            }
            #expect(try machine.installed.version == "0.1.0+deb12" && state.answered == attempt)
            #expect(try Files.list(directory).sorted() == ["lock", "state.json"])
        }
    }

    @Test func aTrialThatCannotBeRunSaysNothingOfTheRelease() async throws {
        try leave("0.2.0", "good")
        let full = installer(trial: .failure(Fault(.temporary, "no room")))
        await #expect(throws: Fault.self) { try await run(full) }
        #expect(try state.refused.isEmpty && state.obstacle == "no room" && state.pending == nil)
    }

    /// What is on the disk when the power comes back, by how far it was.
    private func cut(_ stage: ProgramState.Stage, keeping old: Bool = true) throws {
        var state = try state
        state.pending = .init(
            number: 2000, version: "0.2.0", stage: stage, before: ["gaitway": "0.1.0+deb12"], after: ["gaitway": "0.2.0+deb12"])
        try state.write(directory)
        if old {
            try Files.makeDirectory(directory + "/old")
            try Files.write(Array("gaitway 0.1.0+deb12 good".utf8), to: directory + "/old/gaitway.deb")
        }
    }

    @Test func aPowerCutInTheTrialOrTheInstallationLeavesTheOneBefore() async throws {
        for (stage, half) in [(ProgramState.Stage.trial, false), (.installed, false), (.installed, true)] {
            try cut(stage, keeping: stage != .trial)
            if half { machine.breakOff() }
            #expect(await fault()?.code == .temporary)
            #expect(machine.installed.version == "0.1.0+deb12")
            #expect(try state.pending == nil && state.obstacle != nil && state.refused.isEmpty)
        }
    }

    @Test func aPowerCutBehindTheInstallationIsFollowedByTheWatch() async throws {
        try await machine.install([try file("gaitway 0.2.0+deb12 good")])
        try cut(.installed)
        #expect(try await run(installer()) == .installed(version: "0.2.0"))
    }

    @Test func whatWasJudgedStaysSo() async throws {
        try await machine.install([try file("gaitway 0.2.0+deb12 good")])
        try cut(.goingBack(reason: "it decided nothing", mayPass: false))
        #expect(try await run(installer()) == .refused(version: "0.2.0", reason: "it decided nothing"))
        #expect(machine.installed.version == "0.1.0+deb12")
    }

    @Test func aWayBackThatFailsIsTriedAgain() async throws {
        try await machine.install([try file("gaitway 0.2.0+deb12 hangs")])
        try cut(.installed)
        try Files.write([1], to: directory + "/old/gaitway")
        machine.fail(1)
        #expect(await fault()?.code == .failure)
        #expect(try state.pending?.stage == .goingBack(reason: "it decided nothing for 30 s", mayPass: false))
        guard case .refused = try await run(installer()) else { return #expect(Bool(false), "it was not refused") }
        #expect(machine.installed == .init(version: "0.1.0+deb12", text: "good"))
    }

    @Test func whereTheOneBeforeDoesNoBetterTheBoardIsAtFault() async throws {
        try leave("0.2.0", "pulled")
        #expect(await fault()?.code == .temporary)
        #expect(try state.refused.isEmpty && state.obstacle?.contains("does no better") == true)
        #expect(machine.installed.version == "0.1.0+deb12")
    }

    private func file(_ text: String) throws -> String {
        let path = temporaryDirectory() + "/gaitway.deb"
        try Files.write(Array(text.utf8), to: path)
        return path
    }

    @Test func whatNobodyTrustedSignedIsNotInstalled() async throws {
        try leave("0.2.0", "good", signer: SigningKey())
        #expect(await fault()?.code == .permission)
        try leave("0.2.0", "good", number: 5000)
        #expect(await fault()?.message.contains("was signed as number 5000") == true)
        try leave("0.2.0", "good", model: "other")
        #expect(await fault()?.message.contains("was signed as other") == true)
        // The service's user puts another release beside the signature, or another package in its place.
        try leave("0.2.0", "good")
        try Files.write(try SignedFiles("0.2.1", package: "gaitway 0.2.1+deb12 good", with: key).release, to: folder + "/release.json")
        #expect(await fault()?.message.contains("is not what was signed") == true)
        try leave("0.2.0", "good")
        try Files.write(Array("gaitway 0.2.0+deb12 evil".utf8), to: folder + "/gaitway.deb")
        #expect(await fault() != nil)
        #expect(machine.installed == .init(version: "0.1.0+deb12", text: "good"))
        #expect(try state.highest == 0)
    }

    private func fault() async -> Fault? {
        do throws(Fault) { _ = try await installer().run(folder) } catch { return error }
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
        // A link in the place of the folder is none.
        let link = temporaryDirectory() + "/link"
        #expect(symlink(folder, link) == 0)
        #expect(try HandedOver(link) == nil && Files.exists(folder + "/request"))
        // A folder in the place of the request would have systemd start the installer for ever.
        try Files.remove(folder + "/request")
        try Files.makeDirectory(folder + "/request/and/more")
        try Files.write([1], to: folder + "/request/and/file")
        #expect(symlink(secret, folder + "/request/file") == 0)
        #expect(symlink(temporaryDirectory(), folder + "/request/folder") == 0)
        _ = await fault()
        #expect(!Files.exists(folder + "/request") && Files.exists(secret))
        #expect(try Files.list(directory).allSatisfy { !$0.hasPrefix("removed") })
    }

    @Test func aBoardThatDecidesNothingWaits() async throws {
        try leave("0.2.0", "good")
        let silent = ProgramWatch(seconds: 1) { () throws(Fault) in throw Fault(.noInput, "no gaitway runs") }
        await #expect(throws: Fault.self) { try await run(installer(now: silent)) }
        #expect(try state.obstacle?.contains("decides nothing") == true && state.highest == 0 && state.answered == 1)
    }

    @Test func whatIsWrittenNowIsReadLater() throws {
        try Files.write(Array(#"{"format":1,"later":true}"#.utf8), to: directory + "/state.json")
        #expect(try state == ProgramState())
        try Files.write(Array(#"{"format":2}"#.utf8), to: directory + "/state.json")
        #expect(throws: Fault.self) { try state }
    }

    @Test func aPackageThatIsAnotherIsRefused() async throws {
        try SignedFiles("0.2.0", package: "gaitway 0.2.1+deb12 good", with: key).leave(in: folder)
        guard case .refused = try await run(installer()) else { return #expect(Bool(false), "it was not refused") }
        #expect(try Files.list(directory).sorted() == ["lock", "state.json"])
    }

    @Test func aReleaseOfAnotherVersionsPackageIsRefused() async throws {
        try SignedFiles("0.9.0", package: "gaitway 0.2.0+deb12 good", with: key, packaged: "0.2.0").leave(in: folder)
        guard case .refused(_, let reason) = try await run(installer()) else { return #expect(Bool(false), "it was not refused") }
        #expect(reason.contains("0.2.0+deb12") && machine.installed.version == "0.1.0+deb12")
    }

    @Test func whatIsInstalledHasToBeKnown() async throws {
        try leave("0.2.0", "good")
        machine.breakOff()
        #expect(await fault()?.message.contains("not wholly installed") == true)
        #expect(try state.pending == nil)
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

import Cryptography
import HubProtocol
import ModelStore
import NeuralNetwork
import Settings
import Support
import Synchronization
import TestHelpers
import Testing
import Updates

@testable import ProgramUpdates

private final class FakeHub: UpdateSource {
    let files: SignedFiles
    let isRemote = true
    private let counts = Mutex(0)
    var looks: Int { counts.withLock { $0 } }

    private let fault: Fault?

    init(_ files: SignedFiles, fault: Fault? = nil) { (self.files, self.fault) = (files, fault) }

    func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        counts.withLock { $0 += 1 }
        return files.number > version ? ModelOffer(name: "gaitway \(files.number)", version: files.number, model: "gaitway") : nil
    }
    func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]? {
        if let fault { throw fault }
        return files.signature
    }
    func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8] { files.release }
}

@Suite struct ProgramUpdateServiceTests {
    private let folder = temporaryDirectory(), installed = temporaryDirectory(), key = SigningKey(), time = FakeTime()

    private func service(
        _ hub: FakeHub, machine: @autoclosure @escaping @Sendable () -> ProgramMachine = arm64, decides: Bool = true
    ) -> ProgramUpdateService {
        let plan = ProgramPlan(
            "gaitway", hub, trusting(key), { machine() }, SettingValues.Updates(), folder: folder, installed: installed, own: "0.1.0")
        return ProgramUpdateService(plan, log: quiet, clock: time.clock, decides: { decides }, onChange: {})
    }

    private func turn(_ service: ProgramUpdateService, after seconds: Int64 = 0) async {
        let now = time.pass(seconds)
        await withCheckedContinuation { done in
            Worker.start {
                _ = service.turn(at: now)
                done.resume()
            }
        }
    }

    private func server(of text: String) throws -> Server {
        try Server("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)")
    }

    private func states(_ service: ProgramUpdateService) -> [ModelState] { service.report.versions.map(\.state) }

    @Test func aReleaseIsLeftForTheInstaller() async throws {
        let server = try server(of: "the package"), url = server.address + "/pool/gaitway_0.2.0.deb"
        let hub = FakeHub(try SignedFiles("0.2.0", package: "the package", with: key, url: url)), service = service(hub)
        await turn(service)
        #expect(try Files.list(folder).sorted() == ["gaitway.deb", "release.json", "release.json.sig", "request"])
        #expect(server.requests.map { $0.hasPrefix("GET /pool/gaitway_0.2.0.deb ") } == [true])
        #expect(states(service) == [.shadow])
        // What the installer says of it.
        try Files.remove(folder + "/request")
        var state = ProgramState()
        (state.current, state.highest, state.answered) = (2000, 2000, 1)
        try state.write(installed)
        await turn(service, after: 10)
        #expect(states(service) == [.committed] && service.report.highest == 2000 && service.report.format == UploadedFile.program)
        let looks = hub.looks
        await turn(service, after: 60)
        #expect(hub.looks == looks)
    }

    @Test func oneThatCannotBeInstalledNowIsTriedAgain() async throws {
        let server = try server(of: "the package")
        let hub = FakeHub(try SignedFiles("0.2.0", package: "the package", with: key, url: server.address + "/a.deb")),
            service = service(hub)
        await turn(service)
        try Files.remove(folder + "/request")
        var state = ProgramState()
        state.pending = .init(number: 2000, version: "0.2.0", before: [:], after: [:])
        try state.write(installed)
        await turn(service, after: 10)
        #expect(states(service) == [.shadow])
        (state.pending, state.obstacle, state.answered) = (nil, "no space left", 1)
        try state.write(installed)
        await turn(service, after: 10)
        #expect(states(service) == [.deferred] && service.report.versions[0].reason == "no space left")
        // The hub announces it with each heartbeat: that is no reason to hurry. Each wait is longer.
        service.check(2000)
        await turn(service, after: 60)
        #expect(!Files.exists(folder + "/request"))
        await turn(service, after: 900)
        #expect(Files.exists(folder + "/request"))
        // The package was here already.
        #expect(server.requests.count == 1)
        // Another service over the same state, as after an installation that was taken back, waits as well, and longer.
        (state.answered, state.answeredAt, state.attempts) = (2, 1_800_000_000, ["2000": 2])
        try state.write(installed)
        try Files.remove(folder + "/request")
        let next = self.service(hub)
        #expect(states(next) == [.deferred])
        await turn(next, after: 900)
        #expect(!Files.exists(folder + "/request"))
        await turn(next, after: 901)
        #expect(Files.exists(folder + "/request"))
        // Nothing takes it away.
        await turn(next, after: 1000)
        #expect(!Files.exists(folder + "/request") && next.report.versions[0].reason.contains("gaitway-update.path"))
    }

    @Test func aNewerOneDoesNotWaitForTheOneBefore() async throws {
        let server = try server(of: "the package")
        let hub = FakeHub(try SignedFiles("0.3.0", package: "the package", with: key, url: server.address + "/a.deb"))
        var state = ProgramState()
        (state.answered, state.answeredAt, state.attempts) = (1, 1_800_000_000, ["2000": 5])
        try state.write(installed)
        let service = service(hub)
        #expect(states(service) == [.deferred])
        service.check(3000)
        await turn(service)
        #expect(Files.exists(folder + "/request") && service.report.versions[0].version == 3000)
    }

    @Test func aBoardThatDecidesNothingFetchesNothing() async throws {
        let server = try server(of: "the package")
        let hub = FakeHub(try SignedFiles("0.2.0", package: "the package", with: key, url: server.address + "/a.deb"))
        let service = service(hub, decides: false)
        await turn(service)
        #expect(states(service) == [.deferred] && server.requests.isEmpty)
    }

    @Test func whatAHubSaysIsNoFaultOfTheRelease() async throws {
        let hub = FakeHub(try SignedFiles("0.2.0", package: "the package", with: key), fault: Fault(.permission, "HTTP 401"))
        let service = service(hub)
        await turn(service)
        #expect(states(service) == [.deferred])
    }

    @Test func whatIsNotForThisBoardIsNotFetched() async throws {
        let server = try server(of: "the package"), url = server.address + "/a.deb"
        let foreign = FakeHub(try SignedFiles("0.2.0", package: "the package", with: SigningKey(), url: url)), first = service(foreign)
        await turn(first)
        #expect(states(first) == [.refused])
        let trixie = ProgramMachine(architecture: "armhf", base: "trixie", installed: ["gaitway"])
        let second = service(FakeHub(try SignedFiles("0.2.0", package: "the package", with: key, url: url)), machine: trixie)
        await turn(second)
        #expect(states(second) == [.refused] && second.report.versions[0].reason.contains("no package gaitway for armhf"))
        #expect(try server.requests.isEmpty && Files.list(folder).isEmpty)
    }

    @Test func aPackageThatWasInstalledSinceTheStartIsPartOfTheNextRelease() async throws {
        let installed = Mutex(["gaitway"])
        let hub = FakeHub(try SignedFiles("0.2.0", package: "the package", with: key, url: "http://127.0.0.1:1/a.deb"))
        let service = service(
            hub, machine: ProgramMachine(architecture: "arm64", base: "bookworm", installed: installed.withLock { $0 }))
        installed.withLock { $0.append("gaitway-dashboard") }
        await turn(service)
        #expect(states(service) == [.refused] && service.report.versions[0].reason.contains("no package gaitway-dashboard"))
    }

    @Test func aPackageThatIsAnotherIsNoneOfTheReleases() async throws {
        let server = try server(of: "evil one!!!")
        let hub = FakeHub(try SignedFiles("0.2.0", package: "the package", with: key, url: server.address + "/a.deb")),
            service = service(hub)
        await turn(service)
        #expect(states(service) == [.deferred] && !Files.exists(folder + "/request"))
    }

    @Test func theMachineIsReadFromDebiansFiles() throws {
        let root = try machine(["etc/os-release": "ID=debian\nVERSION_CODENAME=trixie\n", "var/lib/dpkg/info/gaitway.list": ""])
        let found = try ProgramMachine(root: String(root.dropLast()))
        #expect(found.base == "trixie" && found.installed == ["gaitway"])
        let bare = try machine(["etc/os-release": "VERSION_CODENAME=trixie\n"])
        #expect(throws: Fault.self) { try ProgramMachine(root: String(bare.dropLast())) }
    }
}

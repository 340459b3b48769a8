import Cryptography
import Glibc
import HubProtocol
import NeuralNetwork
import Recognition
import Settings
import Support
import Synchronization
import TestHelpers
import Testing

@testable import ModelStore
@testable import Updates

/// A hub that has one model, and answers as it is told, one answer after the other; nil is a good one.
private final class FakeHub: UpdateSource {
    let isRemote: Bool
    private struct State {
        var model: Network?
        var answers: [Fault?] = []
        var looks = 0, downloads = 0, signatures = 0, polls = 0
        var pollAnswers: [Fault] = []
        var checksum: String?
    }
    private let state: Mutex<State>
    private let size: Int?
    private let key: SigningKey?

    init(
        _ model: Network? = nil, _ answers: [Fault?] = [], isRemote: Bool = false, announces checksum: String? = nil, size: Int? = nil,
        signsWith key: SigningKey? = nil
    ) {
        (self.isRemote, self.size, self.key) = (isRemote, size, key)
        state = Mutex(State(model: model, answers: answers, checksum: checksum))
    }

    var looks: Int { state.withLock { $0.looks } }
    var polls: Int { state.withLock { $0.polls } }
    var downloads: Int { state.withLock { $0.downloads } }
    var signatures: Int { state.withLock { $0.signatures } }

    func failPolls(_ faults: [Fault]) { state.withLock { $0.pollAnswers = faults } }

    func poll(_ board: BoardOutcomes) async throws(Fault) {
        let fault: Fault? = state.withLock { state in
            state.polls += 1
            return state.pollAnswers.isEmpty ? nil : state.pollAnswers.removeFirst()
        }
        if let fault { throw fault }
    }

    func announce(_ checksum: String?) { state.withLock { $0.checksum = checksum } }
    func publish(_ model: Network) { state.withLock { $0.model = model } }

    func offer(above version: Int) async throws(Fault) -> ModelOffer? {
        state.withLock { state in
            state.looks += 1
            guard let model = state.model, model.version > version else { return nil }
            return ModelOffer(name: "m \(model.version)", version: model.version, checksum: state.checksum, size: size)
        }
    }

    func signature(of offer: ModelOffer) async throws(Fault) -> [UInt8]? {
        let model = state.withLock { state in
            state.signatures += 1
            return state.model
        }
        guard let key, let model else { return nil }
        return try ModelSignature.sign(SignedContents(try NetworkFile.encode(model), name: offer.name), with: key)
    }

    func model(of offer: ModelOffer, limit: Int) async throws(Fault) -> [UInt8] {
        let (answer, model): (Fault?, Network?) = state.withLock { state in
            state.downloads += 1
            return (state.answers.isEmpty ? nil : state.answers.removeFirst(), state.model)
        }
        if let answer { throw answer }
        guard let model else { throw Fault(.noInput, "there is none") }
        return try NetworkFile.encode(model)
    }
}

/// A board's service with a clock that stands still until it is moved.
private final class Board {
    let service: UpdateService
    let store: ModelStore
    private let base: Network

    init(
        _ source: (any UpdateSource)?, directory: String = temporaryDirectory(), trusting key: VerifyingKey? = nil, expires: Int? = nil,
        change: (inout SettingValues.Updates) -> Void = { _ in }
    ) throws {
        var settings = SettingValues.Updates()
        (settings.interval, settings.retry, settings.shadowWindows, settings.probationWindows) = (3600, 60, 2, 3)
        change(&settings)
        var network = try exampleNetwork()
        network.expires = expires
        base = network
        store = try ModelStore(directory, checks: ModelChecks(keys: key.map { TrustedKeys($0) }), base: base.version)
        let (running, candidate) = try store.start(base: base)
        let plan = UpdatePlan(settings, directory: directory, checks: ModelChecks(keys: key.map { TrustedKeys($0) }), source: source)
        let changes = changes
        service = UpdateService(
            plan, store: store, base: base, running: running, candidate: candidate, log: quiet, clock: time.clock,
            onChange: { changes.count.withLock { $0 += 1 } })
    }

    private let time = FakeTime(), changes = Changes()
    var reports: Int { changes.count.withLock { $0 } }

    private final class Changes: Sendable { let count = Mutex(0) }

    /// So many seconds pass, then the service has its turn.
    @discardableResult
    func turn(after seconds: Int64 = 0) async -> Int64 {
        let now = time.pass(seconds)
        // It waits for what is asynchronous: not on one of the threads that do that.
        let service = service
        return await withCheckedContinuation { continuation in Worker.start { continuation.resume(returning: service.turn(at: now)) } }
    }

    var state: String { store.status.candidate.map { "\($0) \(store.status.stage?.rawValue ?? "")" } ?? "-" }

    /// The loop finds this; the service acts on it.
    func finds(_ finding: ModelExchange.Finding) async {
        service.exchange.report(finding)
        await turn()
    }
}

private func newer(_ version: Int = 4) throws -> Network {
    var network = try exampleNetwork()
    network.version = version
    return network
}

private let down = Fault(.temporary, "the hub cannot be reached")

@Suite struct UpdateServiceTests {
    @Test func fromOfferToCommit() async throws {
        let hub = FakeHub(try newer()), board = try Board(hub)
        await board.turn()
        #expect(board.state == "4 shadow" && hub.downloads == 1)
        #expect(board.service.report.versions == [.init(version: 4, state: .shadow)])
        await board.finds(.shadowPassed)
        #expect(board.state == "4 probation" && board.service.report.versions == [.init(version: 4, state: .probation)])
        await board.finds(.probationPassed)
        #expect(
            board.state == "-" && board.store.status.current == 4 && board.service.report.versions == [.init(version: 4, state: .committed)]
        )
        #expect(board.reports == 3)
        // What it has is not fetched again.
        await board.turn(after: 3601)
        #expect(hub.looks == 2 && hub.downloads == 1)
    }

    /// A hub that keeps new versions from a board is noticed, and the board goes on.
    @Test func aModelThatRunsAndHasExpiredIsReportedOnce() async throws {
        let board = try Board(FakeHub(), expires: 1_799_999_999), other = try Board(FakeHub(), expires: 1_800_000_001)
        for _ in 0..<3 { await board.turn(after: 10) }
        await other.turn()
        #expect(board.reports == 1 && board.service.description["expired"] == true && board.state == "-")
        #expect(other.reports == 0 && other.service.description["expired"] == nil)
    }

    @Test func whereSomebodyIsAskedNothingIsFetchedBefore() async throws {
        let hub = FakeHub(try newer()), board = try Board(hub) { $0.ask = true }
        #expect(throws: Fault.self) { try board.service.accept() }
        for _ in 0..<3 { await board.turn(after: 3601) }
        #expect(board.state == "-" && hub.downloads == 0 && hub.signatures == 0)
        #expect(board.service.offered?.version == 4 && board.reports == 1)
        // What came since is not what was accepted.
        try board.service.accept()
        hub.publish(try newer(5))
        await board.turn()
        #expect(board.state == "-" && hub.downloads == 0 && board.service.offered?.version == 5)
        try board.service.accept()
        await board.turn()
        #expect(board.state == "5 shadow" && board.service.offered == nil)
        #expect(throws: Fault.self) { try board.service.accept() }
    }

    @Test func whatWasAcceptedIsFetchedOverABadNetwork() async throws {
        let hub = FakeHub(try newer(), [down, down]), board = try Board(hub) { ($0.ask, $0.quietHours) = (true, nil) }
        await board.turn()
        try board.service.accept()
        for _ in 0..<3 { await board.turn(after: 901) }
        #expect(board.state == "4 shadow" && hub.downloads == 3)
    }

    @Test(arguments: [ModelExchange.Finding.failed("it says one thing alone")])
    func aModelThatFailsInTheShadowIsRefusedForGood(_ finding: ModelExchange.Finding) async throws {
        let hub = FakeHub(try newer()), board = try Board(hub)
        await board.turn()
        await board.finds(finding)
        #expect(board.state == "-" && board.store.status.current == nil)
        #expect(board.service.report.versions == [.init(version: 4, state: .refused, reason: "it says one thing alone")])
        for _ in 0..<3 { await board.turn(after: 3601) }
        #expect(hub.downloads == 1, "a version that was refused is not fetched again")
        hub.publish(try newer(5))
        await board.turn(after: 3601)
        #expect(board.state == "5 shadow")
    }

    @Test func aModelThatFailsOnProbationIsRolledBack() async throws {
        let board = try Board(FakeHub(try newer()))
        await board.turn()
        await board.finds(.shadowPassed)
        await board.finds(.failed("an inference took 700 ms, which stalls the loop"))
        #expect(board.service.report.versions.first?.state == .rolledBack)
    }

    @Test func aDownloadIsTriedFartherAndFartherApart() async throws {
        let hub = FakeHub(try newer(), [down, down, down]), board = try Board(hub)
        await board.turn()
        #expect(hub.downloads == 1 && board.state == "-" && board.store.status.refused.isEmpty)
        board.service.check() // a hub that says that there is one is no reason to hurry
        await board.turn(after: 59)
        #expect(hub.downloads == 1)
        await board.turn(after: 2)
        #expect(hub.downloads == 2)
        await board.turn(after: 61)
        #expect(hub.downloads == 2)
        await board.turn(after: 60)
        #expect(hub.downloads == 3)
    }

    @Test func aBadNetworkNeverBansAGoodModel() async throws {
        let faults = [down, Fault(.noInput, "404"), Fault(.failure, "reset"), Fault(.badData, "it is longer than was announced")],
            hub = FakeHub(try newer(), (0..<20).map { faults[$0 % 4] }), board = try Board(hub)
        var reports: [Int] = []
        for _ in 0..<20 {
            await board.turn(after: 901)
            reports.append(board.reports)
        }
        #expect(hub.downloads == 20 && board.store.status.refused.isEmpty && reports.first == 1)
        let report = board.service.report.versions
        #expect(report == [.init(version: 4, state: .deferred, reason: "it is longer than was announced")])
        #expect(board.service.description["deferred"]?["version"] == .integer(4))
        await board.turn(after: 901)
        #expect(board.state == "4 shadow" && board.service.report.versions.map(\.state) == [.shadow])
    }

    /// A hub that names one model after the other, of which none can be used, keeps the board no busier than one that names one.
    @Test func aHubThatOffersForEverIsAskedLessAndLessOften() async throws {
        let hub = FakeHub(try newer(), isRemote: true), board = try Board(hub)
        var looks: [Int] = []
        for minute in 0..<60 {
            hub.publish(try newer(4 + minute))
            board.service.check()
            await board.turn(after: 60)
            if minute % 20 == 19 { looks.append(hub.looks) }
        }
        #expect(hub.looks <= 9 && looks[0] <= 6, "\(looks)")
        let changing = FakeHub(try newer(), (0..<60).map { _ in down }), other = try Board(changing)
        for minute in 0..<60 {
            changing.publish(try newer(4 + minute))
            other.service.check()
            await other.turn(after: 60)
        }
        #expect(changing.downloads <= 9)
    }

    /// Finding 6: a hub without the key had a board fetch 5 GB in 20 s. Only signatures are fetched from such a hub, and few.
    @Test func aHubWithoutTheKeyHasNothingFetched() async throws {
        let key = SigningKey(), hub = FakeHub(try newer(), isRemote: true, signsWith: SigningKey())
        let board = try Board(hub, trusting: key.verifying)
        for minute in 0..<60 {
            hub.publish(try newer(4 + minute))
            board.service.check()
            await board.turn(after: 60)
        }
        #expect(hub.downloads == 0 && hub.signatures <= 9 && board.state == "-")
        let honest = FakeHub(try newer(), isRemote: true, signsWith: key), other = try Board(honest, trusting: key.verifying)
        await other.turn()
        #expect(other.state == "4 shadow" && honest.downloads == 1)
    }

    @Test func aDamagedTransferIsNoFault() async throws {
        let hub = FakeHub(try newer(), announces: "00"), board = try Board(hub)
        await board.turn()
        #expect(board.store.status.refused.isEmpty && board.service.report.versions.first?.state == .deferred)
        hub.announce(nil)
        await board.turn(after: 61)
        #expect(board.state == "4 shadow")
    }

    @Test func whatAnOlderProgramRefusedForItsNetworkIsTriedAgain() async throws {
        let directory = temporaryDirectory(), old = try Board(nil, directory: directory)
        try old.store.refuse(ModelOffer(name: "m", version: 4), "it could not be fetched in three attempts: timeout")
        let board = try Board(FakeHub(try newer()), directory: directory)
        await board.turn()
        #expect(board.state == "4 shadow")
    }

    @Test func aNetworkThatComesBackInTimeLosesNothing() async throws {
        let hub = FakeHub(try newer(), [down, down, nil]), board = try Board(hub)
        await board.turn()
        await board.turn(after: 61)
        await board.turn(after: 121)
        #expect(hub.downloads == 3 && board.state == "4 shadow")
    }

    @Test func whatPeopleMendIsNotTheModelsFault() async throws {
        let hub = FakeHub(try newer(), [Fault(.permission, "the token is not valid"), Fault(.configuration, "no bucket"), nil]),
            board = try Board(hub)
        await board.turn()
        await board.turn(after: 3601)
        #expect(board.store.status.refused.isEmpty)
        await board.turn(after: 3601)
        #expect(board.state == "4 shadow")
    }

    @Test func aFileThatIsNoModelIsRefusedAtOnce() async throws {
        let hub = FakeHub(try newer(), size: 1 << 40), board = try Board(hub)
        await board.turn()
        await board.turn(after: 3601)
        #expect(hub.downloads == 0 && board.store.status.refused.first?.reason.contains("bytes") == true)
    }

    @Test func nothingUnsignedComesFromElsewhereUnlessItsOwnerSaysSo() async throws {
        let hub = FakeHub(try newer(), isRemote: true), board = try Board(hub)
        await board.turn()
        #expect(hub.downloads == 0 && board.store.status.refused.first?.reason.contains("trusted_key") == true)
        let other = FakeHub(try newer(), isRemote: true), careless = try Board(other) { $0.allowUnsigned = true }
        await careless.turn()
        #expect(careless.state == "4 shadow")
    }

    @Test func aPinnedBoardAndQuietHoursTakeNothing() async throws {
        let hub = FakeHub(try newer()), board = try Board(hub)
        try board.service.pin(true)
        await board.turn()
        try board.service.pin(false)
        #expect(hub.looks == 0)
        await board.turn(after: 3601)
        #expect(hub.looks == 1)
        let hour = CalendarTime(nanoseconds: 1_800_000_000_000_000_000).hour, other = FakeHub(try newer())
        func two(_ hour: Int) -> String { hour < 10 ? "0\(hour)" : "\(hour)" }
        let hours = try QuietHours("\(two(hour)):00-\(two((hour + 1) % 24)):00")
        let sleeping = try Board(other) { $0.quietHours = hours }
        await sleeping.turn()
        #expect(other.looks == 0)
    }

    @Test func aHubThatSaysSoIsAskedAtOnce() async throws {
        let hub = FakeHub(), board = try Board(hub)
        await board.turn()
        await board.turn(after: 5)
        #expect(hub.looks == 1)
        hub.publish(try newer())
        board.service.check()
        await board.turn()
        #expect(board.state == "4 shadow")
    }

    @Test func anOwnerGoesBackDuringTheTrial() async throws {
        let board = try Board(FakeHub(try newer()))
        await board.turn()
        await board.finds(.shadowPassed)
        await board.finds(.probationPassed)
        try board.service.rollBack()
        #expect(board.store.status.current == nil && board.service.report.versions.first?.state == .rolledBack)
        // What the loop found meanwhile is of a model that is no longer there.
        await board.finds(.probationPassed)
        #expect(board.store.status.current == nil)
    }

    @Test func aRestartBeginsTheTrialAnewAndACrashOnProbationEndsIt() async throws {
        let directory = temporaryDirectory(), board = try Board(FakeHub(try newer()), directory: directory)
        await board.turn()
        board.service.use(try exampleNetwork())
        #expect(try Board(nil, directory: directory).state == "4 shadow")
        await board.finds(.shadowPassed)
        let crashed = try Board(nil, directory: directory)
        #expect(crashed.state == "-" && crashed.service.report.versions.first?.state == .rolledBack)
    }

    @Test func droppedFilesAreTakenAndHiddenOnesAreNot() async throws {
        let board = try Board(nil), inbox = StoreFolder.inbox(board.store.directory)
        try Files.makeDirectory(inbox)
        try NetworkFile.save(try newer(), to: inbox + "/.install.safetensors")
        #expect(await board.turn() == 10_000 && board.state == "-")
        try NetworkFile.save(try newer(), to: inbox + "/new.safetensors")
        await board.turn()
        #expect(board.state == "4 shadow" && !Files.exists(inbox + "/new.safetensors") && Files.exists(inbox + "/.install.safetensors"))
        try Files.write(Array("no model".utf8), to: inbox + "/bad.safetensors")
        await board.finds(.failed("no"))
        await board.turn()
        #expect(!Files.exists(inbox + "/bad.safetensors") && board.state == "-")
    }

    @Test func aPollThatFailsIsTriedAgainMoreAndMoreRarely() async throws {
        let hub = FakeHub()
        hub.failPolls([down, down])
        let board = try Board(hub)
        for (seconds, polls) in [(0, 1), (59, 1), (2, 2), (118, 2), (3, 3), (3590, 3), (20, 4)] as [(Int64, Int)] {
            await board.turn(after: seconds)
            #expect(hub.polls == polls)
        }
    }

    @Test func eachChangeIsReportedAtOnce() async throws {
        let hub = FakeHub(try newer())
        let board = try Board(hub)
        await board.turn()
        #expect(board.state == "4 shadow" && hub.polls == 1)
        #expect(await board.turn() > 50 && hub.polls == 2)
        await board.finds(.shadowPassed)
        await board.turn()
        #expect(board.state == "4 probation" && hub.polls == 3)
        hub.failPolls([down])
        await board.finds(.failed("no"))
        await board.turn()
        // What could not be reported is reported later.
        await board.turn(after: 61)
        #expect(board.state == "-" && hub.polls == 5)
    }

    @Test func theNextTurnIsNeverFarAndNeverAtOnce() async throws {
        let board = try Board(FakeHub())
        #expect(await board.turn() == 10_000)
        #expect(await board.turn(after: 3595) == 5000)
        let impatient = try Board(FakeHub(try newer(), [down])) { $0.retry = 1 }
        // What became of it is reported first.
        #expect(await impatient.turn() == 50)
        #expect(await impatient.turn() == 1000)
    }
}

import HubProtocol
import Support
import Testing

@testable import HubStore

@Suite struct ExperimentTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    private func fleet(_ count: Int) async throws -> (model: HubModel, devices: [String]) {
        var devices: [String] = []
        for index in 0..<count {
            devices.append(try #require(try await store.register(org: "o", identifier: "board-\(index)", info: "{}", now: 1000)).id)
        }
        let model = try #require(try await store.makeModel("activity", description: "", org: "o", now: 1000))
        for version in 1...3 {
            _ = try await store.add(NewVersion(version: version, bytes: [UInt8(version)], description: ""), to: model, now: 1000)
        }
        return (model, devices)
    }

    private func running(_ model: HubModel, traffic: Double = 100, shares: [Double] = [50, 50]) async throws -> Experiment {
        let variants = shares.enumerated().map { index, share in
            Experiment.Variant(name: "v\(index)", version: index + 2, allocation: share, isControl: index == 0)
        }
        var made = Experiment(model: model.id, name: "e", traffic: traffic, variants: variants, settings: "{}", now: 1000)
        try await store.make(made)
        try await store.turn(made, to: .running, now: 1000)
        made.state = .running
        return made
    }

    @Test func boardsAreSplitByTheirSharesAndStay() async throws {
        let (model, devices) = try await fleet(200), experiment = try await running(model, traffic: 50, shares: [20, 80])
        let found = devices.map { experiment.variant(of: $0)?.name }
        let first = found.count { $0 == "v0" }, second = found.count { $0 == "v1" }
        #expect((5...40).contains(first) && (50...120).contains(second) && (70...130).contains(200 - first - second))
        #expect(devices.map { experiment.variant(of: $0)?.name } == found)
        for (device, name) in zip(devices.prefix(20), found) {
            let assigned = try await store.assignment(of: model, to: device, above: 1)
            #expect(assigned?.version == name.map { $0 == "v0" ? 2 : 3 })
        }
    }

    @Test func boardsNeverGoDownAndRefusedVersionsDoNotComeBack() async throws {
        let (model, devices) = try await fleet(1), _ = try await running(model, shares: [100, 0])
        #expect(try await store.assignment(of: model, to: devices[0], above: 2) == nil)
        #expect(try await store.assignment(of: model, to: devices[0], above: 1)?.version == 2)
        try await store.report([Outcome(version: 2, device: devices[0], state: .refused, reason: "", updated: 1)], of: model)
        #expect(try await store.assignment(of: model, to: devices[0], above: 1) == nil)
    }

    @Test func reportsAreCountedByVariant() async throws {
        let (model, devices) = try await fleet(20), experiment = try await running(model)
        for device in devices {
            let version = try #require(experiment.variant(of: device)?.version)
            try await store.report([Outcome(version: version, device: device, state: .committed, reason: "", updated: 1)], of: model)
            for value in [1.0, 3] {
                try await store.measure([("a", value * Double(version))], of: experiment, device: device, at: 90_000)
            }
        }
        let reports = try await store.reports(of: experiment)
        #expect(reports.map(\.devices).reduce(0, +) == 20 && reports.map(\.reporting) == reports.map(\.devices))
        #expect(reports.map { $0.outcomes[.committed] } == reports.map(\.devices))
        #expect(reports.map { $0.metrics["a"]?.mean } == [4, 6])
        let deviation = try #require(reports[0].metrics["a"]?.deviation), count = Double(reports[0].devices * 2)
        #expect(abs(deviation - 2 * (count / (count - 1)).squareRoot()) < 1e-9)
        #expect(try await store.days(of: experiment).map(\.day) == [1, 1])
    }

    @Test func whoComesSecondChangesNothing() async throws {
        let (model, _) = try await fleet(1), experiment = try await running(model)
        try await store.turn(experiment, to: .cancelled, now: 1001)
        await #expect(throws: Fault.self) { try await store.turn(experiment, to: .paused, now: 1002) }
        await #expect(throws: Fault.self) { try await store.allocate(experiment) }
        #expect(try await store.experiment(experiment.id, org: "o")?.state == .cancelled)
    }

    @Test func whatOneBoardMeasuresIsBounded() async throws {
        let (model, devices) = try await fleet(1), experiment = try await running(model)
        for step in 0..<20 {
            try await store.measure((0..<100).map { _ in ("a", Double(step)) }, of: experiment, device: devices[0], at: 1)
        }
        await #expect(throws: Fault.self) { try await store.measure([("a", 1)], of: experiment, device: devices[0], at: 1) }
        let other = try await running(model)
        await #expect(throws: Fault.self) {
            try await store.measure((0..<51).map { ("name \($0)", 1) }, of: other, device: devices[0], at: 1)
        }
    }

    @Test func statesLeadOnlyForward() {
        #expect(Experiment.State.draft.leads(to: .running) && !Experiment.State.completed.leads(to: .running))
        #expect(!Experiment.State.draft.leads(to: .paused) && Experiment.State.paused.leads(to: .completed))
    }
}

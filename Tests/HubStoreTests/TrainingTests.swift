import Support
import Testing
import WeightFiles

@testable import HubStore

@Suite struct TrainingTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    private func weights(_ values: [Float]) -> WeightFile {
        WeightFile(format: .numpy, arrays: [.init(name: "", shape: [values.count], values: values)])
    }

    private func model(_ base: [Float]?) async throws -> HubModel {
        let model = try #require(try await store.makeModel("m", description: "", org: "o", now: 0))
        var new = NewVersion(version: nil, bytes: base.map { weights($0).bytes } ?? [1], description: "")
        if base != nil { new.format = "npy" }
        _ = try await store.add(new, to: model, now: 0)
        return try #require(try await store.model("m", org: "o"))
    }

    private func send(_ values: [Float], from board: String, to round: TrainingRound, isDelta: Bool = false) async throws {
        let device = try #require(try await store.register(org: "o", identifier: board, info: "{}", now: 0))
        _ = try await store.add(
            WeightUpdate(device: device.id, isDelta: isDelta, samples: 10, metrics: "{\"loss\":1}", weights: weights(values)), to: round,
            now: 1)
    }

    private func join(_ round: TrainingRound, _ model: HubModel, least: Int = 1) async throws -> [Float] {
        let made = try await store.aggregate(round, of: model, least: least, number: nil, name: nil, publish: true, now: 2)
        return try #require(try await store.weights(of: model, version: made.version)).values
    }

    @Test func weightsAndChangesMeetOnTheBase() async throws {
        let model = try await model([10, 20]), round = try await store.openRound(of: model, base: 1, now: 0)
        try await send([11, 20], from: "a", to: round)
        try await send([3, 2], from: "b", to: round, isDelta: true)
        #expect(try await store.openRound(of: model, base: 1, now: 1).id == round.id)
        #expect(try await join(round, model) == [12, 21])
        // What people's boards sent is gone, and the round gives one version.
        await #expect(throws: Fault.self) { _ = try await join(round, model) }
        #expect(try await store.model("m", org: "o")?.latest == 2)
    }

    @Test func severalAtOnceMakeOneVersion() async throws {
        let model = try await model([0]), round = try await store.openRound(of: model, base: 1, now: 0)
        try await send([1], from: "a", to: round)
        let store = store
        let made = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (try? await store.aggregate(round, of: model, least: 1, number: nil, name: nil, publish: true, now: 2)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(try await store.versions(of: model).count == 2)
    }

    @Test func whatIsNoNumberIsNotPublished() async throws {
        let model = try await model([3e38]), round = try await store.openRound(of: model, base: 1, now: 0)
        try await send([3e38], from: "a", to: round, isDelta: true)
        await #expect(throws: Fault.self) { _ = try await join(round, model) }
        #expect(try await store.model("m", org: "o")?.latest == 1)
    }

    @Test func changesNeedABase() async throws {
        let model = try await model(nil), round = try await store.openRound(of: model, base: 1, now: 0)
        try await send([1, 2], from: "a", to: round, isDelta: true)
        await #expect(throws: Fault.self) { _ = try await join(round, model) }
        // Whole weights do without; nobody is given them as the newest of a model of another kind.
        let other = try await store.makeRound(of: model, base: 1, .init(), now: 0)
        try await send([1, 2], from: "a", to: other)
        #expect(try await join(other, model) == [1, 2])
        #expect(try await store.versions(of: model).map(\.status) == [.draft, .published])
        #expect(try await store.model("m", org: "o")?.latest == 1)
    }

    @Test func roundsEndWithTheirTime() async throws {
        let model = try await model([0])
        var settings = TrainingRound.Settings()
        settings.minutes = 1
        let round = try await store.makeRound(of: model, base: 1, settings, now: -100)
        await #expect(throws: Fault.self) { try await send([1], from: "a", to: round) }
        #expect(try await store.openRound(of: model, base: 1, now: 0).id != round.id)
        try await store.tidy(now: 100_000)
        #expect(try await store.round(round.id, org: "o")?.state == .cancelled)
    }
}

import HubProtocol
import Support
import Testing

@testable import HubStore

@Suite struct RolloutTests {
    let store: HubStore

    init() async throws { store = try await Store.temporary() }

    @Test func aShareWithNobodyInItGrows() async throws {
        let devices = try await fleet(1), model = try await model(2, 3)
        let bucket = Rollout.bucket(of: devices[0], model: model.id, version: 2)
        let rollout = try await store.start(
            Rollout(model: model.id, version: 2, percentage: max(0, bucket - 1), increment: 20, created: 1000), unsigned: true)
        #expect(try await store.offer(model, to: devices[0], above: 1) == nil)
        try await store.advance(now: 1000)
        let grown = try #require(try await store.rollout(rollout.id, org: "o"))
        #expect(grown.percentage > bucket && grown.percentage <= bucket + 20)
        #expect(try await store.offer(model, to: devices[0], above: 1) == grown)
        // Beyond it is nobody: it goes all the way.
        try await say(.committed, devices, model, 2)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .completed)
        #expect(try await store.history(of: rollout).first?.reason == "made")
        // Where no board is at all it waits.
        let nobody = try await Store.temporary(), alone = try #require(try await nobody.makeModel("m", description: "", org: "o", now: 0))
        _ = try await nobody.add(
            NewVersion(version: 1, labels: ["a"], expires: nil, bytes: [1], signature: [1], description: ""), to: alone, now: 0)
        let waiting = try await nobody.start(Rollout(model: alone.id, version: 1, created: 0))
        try await nobody.advance(now: 10, everywhere: true)
        #expect(try await nobody.rollout(waiting.id, org: "o")?.percentage == 10)
    }

    @Test func itDoesNotWaitForBoardsThatAreAway() async throws {
        let devices = try await fleet(10), model = try await model(2), later = 1000 + 5.0 * Double(store.interval) + 1
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 100, created: 1000), unsigned: true)
        try await say(.probation, devices.prefix(8), model, 2)
        for device in devices.prefix(7) { try await store.note(Beat(seen: later, body: "{}", modelVersion: nil), of: device) }
        try await say(.committed, devices.prefix(7), model, 2)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .active)
        // One went while it tried the version, two were never heard again.
        var expected = RolloutProgress()
        (expected.reached, expected.committed, expected.away) = (7, 7, 3)
        #expect(try await store.progress(of: rollout, now: later) == expected)
        try await store.advance(now: later, everywhere: true)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .completed)
    }

    /// A hub that was off hears nobody at first.
    @Test func nobodyIsAwayUntilAHubHasListened() async throws {
        let devices = try await fleet(3), model = try await model(2), away = 5.0 * Double(store.interval), later = 1000 + 10 * away
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 100, created: 1000), unsigned: true)
        try await store.report([Outcome(version: 2, device: devices[0], state: .committed, reason: "", updated: 1000)], of: model)
        store.listen(now: later)
        try await store.advance(now: later, everywhere: true)
        #expect(try await store.progress(of: rollout, now: later).away == 0)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .active)
        // It slept for an hour.
        for now in [later + 10, later + 3600, later + 3600 + away - 1] { store.listen(now: now) }
        #expect(try await store.progress(of: rollout, now: later + 3600 + away - 1).away == 0)
        var now = later + 7200
        for _ in 0...Int(away / 30) + 1 {
            store.listen(now: now)
            now += 30
        }
        #expect(try await store.progress(of: rollout, now: now).away == 2)
        try await store.advance(now: now, everywhere: true)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .completed)
    }

    @Test func oneThatIsCompleteCanOnlyStop() async throws {
        let devices = try await fleet(1), model = try await model(2)
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 100, created: 1000), unsigned: true)
        try await say(.committed, devices, model, 2)
        let complete = try #require(try await store.rollout(rollout.id, org: "o"))
        #expect(complete.state == .completed)
        #expect(await fails(.usage) { _ = try await self.store.change(complete, to: .paused, reason: "", now: 1000) })
        #expect(try await store.offer(model, to: "another", above: 1) != nil)
        #expect(try await store.change(complete, to: .stopped, reason: "", now: 1000).state == .stopped)
        #expect(try await store.offer(model, to: "another", above: 1) == nil)
    }

    @Test func unsignedVersionsAreForTheLaboratory() async throws {
        let model = try await model(2), rollout = Rollout(model: model.id, version: 2, created: 1000)
        #expect(await fails(.usage) { _ = try await self.store.start(rollout) })
        _ = try await store.start(rollout, unsigned: true)
    }

    private func fleet(_ count: Int) async throws -> [String] {
        var devices: [String] = []
        for index in 0..<count {
            devices.append(try #require(try await store.register(org: "o", identifier: "board-\(index)", info: "{}", now: 1000)).id)
        }
        return devices
    }

    private func model(_ versions: Int...) async throws -> HubModel {
        let model = try #require(try await store.makeModel("activity", description: "", org: "o", now: 1000))
        for version in versions {
            _ = try await store.add(
                NewVersion(version: version, labels: ["a", "b"], expires: nil, bytes: [UInt8(version)], signature: nil, description: ""),
                to: model, now: 1000)
        }
        return model
    }

    private func say(_ state: ModelState, _ devices: some Sequence<String>, _ model: HubModel, _ version: Int) async throws {
        for device in devices {
            try await store.report([Outcome(version: version, device: device, state: state, reason: "so", updated: 1000)], of: model)
        }
        try await store.advance(now: 1000)
    }

    @Test func aShareOfTheBoardsIsReached() async throws {
        let devices = try await fleet(200), model = try await model(2)
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 25, created: 1000), unsigned: true)
        var offered: [String] = []
        for device in devices where try await store.offer(model, to: device, above: 1) == rollout { offered.append(device) }
        #expect((30...70).contains(offered.count))
        #expect(try await store.progress(of: rollout, now: 1000).reached == offered.count)
        // More boards are more of the same boards.
        let grown = try await store.change(rollout, to: .active, percentage: 50, reason: "", now: 1000)
        for device in offered { #expect(try await store.offer(model, to: device, above: 1) == grown) }
        #expect(try await store.offer(model, to: offered[0], above: 2) == nil)
        #expect(await fails(.usage) { _ = try await self.store.start(rollout, unsigned: true) })
    }

    @Test func itGrowsWhileItDoesWell() async throws {
        let devices = try await fleet(100), model = try await model(2)
        var rollout = try await store.start(
            Rollout(model: model.id, version: 2, percentage: 20, target: 60, increment: 40, created: 1000), unsigned: true)
        var reached: [String] = []
        for device in devices where try await store.offer(model, to: device, above: 0) != nil { reached.append(device) }
        try await say(.probation, reached, model, 2)
        #expect(try await store.rollout(rollout.id, org: "o")?.percentage == 20)
        #expect(try await store.progress(of: rollout, now: 1000).trying == reached.count)
        try await say(.committed, reached, model, 2)
        rollout = try #require(try await store.rollout(rollout.id, org: "o"))
        #expect(rollout.percentage == 60 && rollout.state == .active)
        try await say(.committed, devices, model, 2)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .completed)
        #expect(try await store.history(of: rollout).map(\.state) == ["active", "active", "completed"])
        // A hub that died between a report and what follows from it looks at its start.
        let last = try await store.change(rollout, to: .active, reason: "again", now: 1000), other = try await HubStore(store.place)
        try await other.advance(now: 1000)
        #expect(try await other.rollout(last.id, org: "o")?.state == .active)
        try await other.advance(now: 1000, everywhere: true)
        #expect(try await other.rollout(last.id, org: "o")?.state == .completed)
    }

    @Test func itStopsWhenItDoesBadly() async throws {
        let devices = try await fleet(20), model = try await model(2, 3)
        let rollout = try await store.start(Rollout(model: model.id, version: 3, percentage: 100, created: 1000), unsigned: true)
        try await say(.refused, devices.prefix(2), model, 3)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .active)
        #expect(try await store.offer(model, to: devices[0], above: 1) == nil)
        #expect(try await store.offer(model, to: devices[5], above: 1) != nil)
        try await say(.rolledBack, devices.prefix(3), model, 3)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .stopped)
        #expect(try await store.rollout(rollout.id, org: "o")?.reason == "3 of 3 boards that reported refused it or rolled it back")
        #expect(try await store.offer(model, to: devices[5], above: 1) == nil)
        #expect(try await store.outcomes(of: model.id, version: 3).total == 3)
    }

    @Test func boardsThatCannotFetchItYetAreWaitedForAndNotCountedAsBad() async throws {
        let devices = try await fleet(10), model = try await model(2)
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 100, created: 1000), unsigned: true)
        try await say(.committed, devices.prefix(5), model, 2)
        try await say(.deferred, devices.suffix(5), model, 2)
        let progress = try await store.progress(of: rollout, now: 1000)
        #expect((progress.reached, progress.committed, progress.deferred, progress.failed) == (10, 5, 5, 0))
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .active)
        #expect(try await store.offer(model, to: devices[9], above: 1) != nil, "it is still offered")
        try await say(.committed, devices.suffix(5), model, 2)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .completed)
    }

    @Test func whoResumesARolloutBeginsItsReportsAnew() async throws {
        let devices = try await fleet(4), model = try await model(2)
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 100, created: 1000), unsigned: true)
        try await say(.refused, devices, model, 2)
        let stopped = try #require(try await store.rollout(rollout.id, org: "o"))
        #expect(stopped.state == .stopped)
        _ = try await store.change(stopped, to: .active, reason: "resumed", now: 1001)
        try await store.advance(now: 1001)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .active)
        #expect(try await store.offer(model, to: devices[0], above: 1) != nil)
    }

    @Test func belowTheFleetsVersionNothingBegins() async throws {
        let devices = try await fleet(3), model = try await model(2, 3, 4)
        let lower = try await store.start(Rollout(model: model.id, version: 2, percentage: 10, created: 1000), unsigned: true)
        let group = try await store.makeGroup("left", description: "", org: "o", now: 1000)
        _ = try await store.start(Rollout(model: model.id, version: 4, percentage: 100, created: 1000), unsigned: true)
        for group in [nil, group.id] {
            #expect(
                await fails(.usage) {
                    _ = try await self.store.start(Rollout(model: model.id, version: 3, group: group, created: 1000), unsigned: true)
                })
        }
        try await say(.committed, devices, model, 4)
        let ended = try #require(try await store.rollout(lower.id, org: "o"))
        #expect(ended.state == .stopped && ended.reason.hasPrefix("its boards have version 4"))
    }

    @Test func nothingIsUsedTwice() async throws {
        let model = try await model(1, 2),
            first = try await store.start(Rollout(model: model.id, version: 2, created: 1000), unsigned: true)
        #expect(await fails(.usage) { try await self.store.remove(model) })
        try await store.remove(first)
        #expect(try await store.start(Rollout(model: model.id, version: 2, created: 1000), unsigned: true).id == first.id + 1)
        for rollout in try await store.rollouts(org: "o") { try await store.remove(rollout) }
        let second = try #require(try await store.version(2, of: model))
        try await store.remove(second)
        #expect(
            await fails(.usage) { _ = try await self.store.add(NewVersion(version: 2, bytes: [2], description: ""), to: model, now: 1000) })
        #expect(try await store.add(NewVersion(version: nil, bytes: [9], description: ""), to: model, now: 1000).version == 3)
        #expect(
            await fails(.usage) {
                _ = try await self.store.add(NewVersion(version: .max, bytes: [3], description: ""), to: model, now: 1000)
            })
        // Another model's numbers are no matter of this one's.
        let similar = try #require(try await store.makeModel("ACTIVITY", description: "", org: "p", now: 1000))
        let far = try await store.add(NewVersion(version: 1_999_999_999, bytes: [4], description: ""), to: similar, now: 1000)
        try await store.remove(far)
        #expect(try await store.add(NewVersion(version: nil, bytes: [5], description: ""), to: model, now: 1000).version == 4)
        try await store.remove(model)
        let again = try #require(try await store.makeModel("activity", description: "", org: "o", now: 1000))
        #expect(again.id != model.id && again.name == model.name)
    }

    @Test func versionsHaveNamesAndDeprecatedOnesReachNobody() async throws {
        let devices = try await fleet(1), model = try await model(1)
        let named = try await store.add(NewVersion(version: nil, name: "1.4.0", bytes: [9], description: ""), to: model, now: 1000)
        #expect(named.version == 2 && named.shown == "1.4.0")
        #expect(try await store.version(named: "1.4.0", of: model) == named)
        #expect(try await store.version(named: "2", of: model) == named)
        #expect(
            await fails(.usage) {
                _ = try await self.store.add(NewVersion(version: nil, name: "1.4.0", bytes: [8], description: ""), to: model, now: 1000)
            })
        let rollout = try await store.start(Rollout(model: model.id, version: 2, percentage: 100, created: 1000), unsigned: true)
        #expect(rollout.versionName == "1.4.0")
        #expect(try await store.offer(model, to: devices[0], above: 1) == rollout)
        _ = try await store.change(named, status: .deprecated)
        #expect(try await store.offer(model, to: devices[0], above: 1) == nil)
        #expect(try await store.model("activity", org: "o")?.latest == 1)
    }

    @Test func aGroupsRolloutIsForItsBoards() async throws {
        let devices = try await fleet(4), model = try await model(2)
        let group = try await store.makeGroup("left", description: "", org: "o", now: 1000)
        #expect(try await store.join(devices[1], group, now: 1000))
        #expect(try await store.join("nobody", group, now: 1000) == false)
        let rollout = try await store.start(
            Rollout(model: model.id, version: 2, group: group.id, percentage: 100, created: 1000), unsigned: true)
        #expect(try await store.offer(model, to: devices[0], above: 0) == nil)
        #expect(try await store.offer(model, to: devices[1], above: 0) == rollout)
        #expect(try await store.progress(of: rollout, now: 1000).reached == 1)
        try await say(.committed, [devices[1]], model, 2)
        #expect(try await store.rollout(rollout.id, org: "o")?.state == .completed)
    }

    @Test func aVersionNeverChanges() async throws {
        let model = try await model(2)
        let other = NewVersion(version: 2, labels: ["a"], expires: nil, bytes: [9], signature: nil, description: "")
        #expect(await fails(.usage) { _ = try await self.store.add(other, to: model, now: 1000) })
        var same = other
        same.bytes = [2]
        same.signature = [7]
        #expect(try await store.add(same, to: model, now: 1000).isSigned)
        #expect(try await store.signature(of: store.versions(of: model)[0]) == [7])
    }

    private func fails(_ code: Fault.Code, _ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch let fault as Fault { return fault.code == code } catch {}
        return false
    }
}

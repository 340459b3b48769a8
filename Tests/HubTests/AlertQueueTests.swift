import HubStore
import Testing

@testable import Hub

/// Alerts on their way to two channels.
@Suite struct AlertQueueTests {
    let queue = AlertQueue(channels: 2)

    init() async { await queue.begin(missed: [[], []]) }

    // As the service writes it down.
    private func write() async -> AlertQueue.Changes? {
        let changes = await queue.changes()
        if let changes { await queue.wrote(changes) }
        return changes
    }

    private func alert(_ device: String, hasBegun: Bool = true) -> Alert {
        Alert(device: device, name: device, identifier: device, org: "o", reason: .fall, hasBegun: hasBegun, since: 1)
    }

    @Test func eachChannelTakesEachAlertOnceAndItIsWrittenDownOnce() async {
        let fall = alert("a")
        await queue.offer([fall])
        #expect(await queue.changes() == nil)
        await queue.took([fall], 0, 1)
        var changes = await write()
        #expect(changes?.told == [fall] && changes?.missed == [[], [fall]])
        // The database may have been read before that was written.
        await queue.offer([fall])
        #expect(await queue.next(0).alerts.isEmpty)
        #expect(await queue.next(1).alerts == [fall])
        await queue.offer([])
        #expect(await queue.next(1).alerts == [fall], "others were told, so this one is, too")
        #expect(await queue.changes() == nil)
        await queue.took([fall], 1, 1)
        changes = await write()
        #expect(changes?.told == [] && changes?.missed == [[], []])
        await queue.offer([])
        for channel in 0...1 { #expect(await queue.next(channel).alerts.isEmpty) }
    }

    @Test func theEndComesAfterTheBeginningAlsoToWhoWasAwayAndAfterARestart() async {
        let fall = alert("a"), end = alert("a", hasBegun: false)
        await queue.offer([fall])
        await queue.took([fall], 0, 1)
        _ = await write()
        await queue.offer([end])
        await queue.took([end], 0, 1)
        let kept = await write()?.missed ?? []
        #expect(kept == [[], [fall, end]])
        await queue.end()
        #expect(await queue.next(1).alerts.isEmpty)
        #expect(await queue.changes() == nil)
        await queue.begin(missed: kept)
        // What the database has not let go of yet is told to nobody twice.
        await queue.offer([end])
        #expect(await queue.next(1).alerts == [fall, end])
        #expect(await queue.next(0).alerts.isEmpty)
        #expect(await queue.changes() == nil)
    }

    @Test func whatEndsWhileOneTakesItIsStillTheOthers() async {
        let hot = alert("a")
        await queue.offer([hot])
        await queue.took([hot], 0, 1)
        await queue.offer([])
        #expect(await queue.next(1).alerts == [hot])
        #expect(await write()?.told == [hot])
    }

    @Test func whatWasOverBeforeAnybodyWasToldIsToldToNobody() async {
        await queue.offer([alert("a"), alert("b")])
        await queue.offer([alert("b")])
        for channel in 0...1 { #expect(await queue.next(channel).alerts == [alert("b")]) }
    }

    @Test func whatCouldNotBeWrittenDownIsNotSentAgain() async {
        let fall = alert("a")
        await queue.offer([fall])
        await queue.took([fall], 0, 1)
        await queue.offer([fall])
        #expect(await queue.next(0).alerts.isEmpty)
        #expect(await write()?.told == [fall])
    }

    @Test func whoTellsNoMoreWritesNothing() async throws {
        let fall = alert("a")
        await queue.offer([fall])
        await queue.took([fall], 0, 1)
        let changes = try #require(await queue.changes())
        await queue.end()
        await queue.wrote(changes)
        await queue.took([fall], 1, 1)
        await queue.offer([fall])
        #expect(await queue.changes() == nil)
        #expect(await queue.next(1).alerts.isEmpty)
        await queue.begin(missed: [[], [fall]])
        await queue.wrote(changes)
        await queue.took([fall], 1, 1)
        #expect(await queue.changes() == nil, "that was of another turn")
        #expect(await queue.next(1).alerts == [fall])
    }

    @Test func aChannelThatIsAwayMissesAThousandAtMost() async {
        let found = (0..<5000).map { alert("\($0)") }
        await queue.offer(found)
        await queue.offer(found)
        #expect(await queue.next(0).alerts == Array(found.prefix(AlertService.most)))
        var count = 0
        while case let (some, turn) = await queue.next(0), !some.isEmpty {
            count += some.count
            await queue.took(some, 0, turn)
            _ = await write()
        }
        #expect(count == AlertQueue.most)
        // The rest comes with the next look.
        await queue.offer(Array(found.dropFirst(count)))
        #expect(await queue.next(0).alerts.first == found[count])
    }
}

import Support
import Testing

@testable import Fleet

@Suite struct EventQueueTests {
    private func place() -> String { "/tmp/gaitway-events-\(UInt64.random(in: 0...UInt64.max))" }

    @Test func theOldestGoFirst() throws {
        let queue = EventQueue(in: place())
        for time in 0..<1200 { queue.add(TelemetryEvent("activity", at: Int64(time))) }
        #expect(queue.count == 1000 && queue.dropped == 200)
        let (name, events) = try #require(queue.batch())
        #expect(events.map(\.timestamp) == Array(200..<700))
        // What was not acknowledged comes again under its name, so that it counts once.
        #expect(queue.batch()?.name == name)
        queue.sent("another")
        #expect(queue.count == 1000)
        queue.sent(name)
        #expect(queue.count == 500 && queue.batch()?.events.first?.timestamp == 700)
    }

    @Test func itOutlivesARestart() throws {
        let place = place(), queue = EventQueue(in: place)
        for time in 0..<3 { queue.add(TelemetryEvent("activity", at: Int64(time), ["activity": "WALKING"])) }
        let name = try #require(queue.batch()).name
        try queue.save()
        let next = EventQueue(in: place)
        #expect(next.batch()?.name == name && next.batch()?.events.map(\.timestamp) == [0, 1, 2])
        #expect(try Files.isPrivate(place + "/edgeml_event_queue/events.json"))
        next.sent(name)
        try next.save()
        #expect(!Files.exists(place + "/edgeml_event_queue/events.json"))
        try Files.write(Array("{".utf8), to: place + "/edgeml_event_queue/events.json")
        #expect(EventQueue(in: place).count == 0)
    }

    @Test func fallsAreTheLastToGo() {
        let queue = EventQueue(in: place())
        queue.add(TelemetryEvent("fall", at: -1))
        for time in 0..<1500 { queue.add(TelemetryEvent("activity", at: Int64(time))) }
        #expect(queue.holdsFall && queue.count == 1000 && queue.dropped == 501)
        #expect(queue.batch()?.events.first?.type == "fall")
    }

    /// Somebody else's file, or one of another version.
    @Test(arguments: [
        #"{"events":[],"batchCount":1,"dropped":0}"#, #"{"events":[],"batchCount":-1,"dropped":0}"#, #"{"events":{},"batchCount":0}"#, "[]",
        String(repeating: " ", count: 5 << 20) + "{}",
    ]) func aFileThatCannotBeIsLeft(text: String) throws {
        let place = place()
        try Files.makeDirectory(place + "/edgeml_event_queue")
        try Files.write(Array(text.utf8), to: place + "/edgeml_event_queue/events.json")
        let queue = EventQueue(in: place)
        #expect(queue.count == 0 && queue.batch() == nil)
        queue.add(TelemetryEvent("activity", at: 5))
        try queue.save()
        #expect(EventQueue(in: place).count == 1)
    }

    @Test func aFullQueueWhileABatchIsOnItsWay() throws {
        let queue = EventQueue(in: place())
        for time in 0..<1000 { queue.add(TelemetryEvent("activity", at: Int64(time))) }
        let name = try #require(queue.batch()).name
        queue.add(TelemetryEvent("activity", at: 1000))
        queue.sent(name)
        #expect(queue.count == 1000, "what was sent is another batch than what waits now")
        #expect(queue.batch()?.name != name)
    }
}

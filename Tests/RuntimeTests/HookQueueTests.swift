import Support
import Testing

@testable import Runtime

@Suite struct HookQueueTests {
    private func line(_ text: String) throws -> JSONValue { try #require(JSONValue(parsing: Array(text.utf8))) }

    private func change(_ activity: String, at: Double) throws -> JSONValue {
        try line(#"{"event":"decision","at":\#(at),"changed":true,"smoothed":"\#(activity)","confidence":0.5}"#)
    }

    @Test func ofChangesTheLastOneIsTold() throws {
        let queue = HookQueue()
        #expect(queue.next() == nil)
        queue.take(try change("WALKING", at: 1))
        #expect(
            queue.next()?.environment == [
                "GAITWAY_EVENT": "change", "GAITWAY_ACTIVITY": "WALKING", "GAITWAY_PREVIOUS": "unknown", "GAITWAY_CONFIDENCE": "0.50000",
                "GAITWAY_AT": "1.000",
            ])
        // While a hook runs.
        for (index, activity) in ["SITTING", "STANDING", "LAYING"].enumerated() { queue.take(try change(activity, at: Double(2 + index))) }
        let event = try #require(queue.next())
        #expect(event.environment["GAITWAY_ACTIVITY"] == "LAYING" && event.environment["GAITWAY_PREVIOUS"] == "WALKING")
        #expect(queue.next() == nil)
    }

    @Test func whatIsAsBeforeIsNoChange() throws {
        let queue = HookQueue()
        queue.take(try change("WALKING", at: 1))
        _ = queue.next()
        queue.take(try change("SITTING", at: 2))
        queue.take(try change("WALKING", at: 3))
        #expect(queue.next() == nil)
    }

    @Test func everyStateOfAFallIsToldAndFirst() throws {
        let queue = HookQueue()
        queue.take(try change("LAYING", at: 1))
        for state in ["impact", "fallen", "alarm"] { queue.take(try line(#"{"event":"fall","state":"\#(state)","at":2.5}"#)) }
        for state in ["impact", "fallen", "alarm"] {
            let event = try #require(queue.next())
            #expect(event.isFall && event.environment == ["GAITWAY_EVENT": "fall", "GAITWAY_FALL": state, "GAITWAY_AT": "2.500"])
        }
        #expect(queue.next()?.isFall == false)
        // A hook that hangs: so many wait, and no more.
        for at in 3..<103 { queue.take(try line(#"{"event":"fall","state":"impact","at":\#(at)}"#)) }
        #expect((0..<100).filter { _ in queue.next() != nil }.count == 32)
    }

    /// What became of a fall while the program was away is in the first line of the next stream.
    @Test func aFallBetweenTwoStreamsIsTold() throws {
        let queue = HookQueue()
        func falls() -> [String?] { (0..<10).compactMap { _ in queue.next() }.map { $0.environment["GAITWAY_FALL"] } }
        // Of falls before nothing is told.
        queue.take(try line(#"{"event":"hello","fall":{"state":"recovered","at":1}}"#))
        queue.take(try line(#"{"event":"fall","state":"impact","at":2}"#))
        #expect(falls() == ["impact"])
        for text in [#"{"event":"hello"}"#, #"{"event":"hello","fall":{"state":"impact","at":2}}"#] { queue.take(try line(text)) }
        #expect(falls() == [])
        queue.take(try line(#"{"event":"hello","fall":{"state":"alarm","at":2}}"#))
        queue.take(try line(#"{"event":"fall","state":"alarm","at":2}"#))
        #expect(falls() == ["alarm"])
        let late = HookQueue()
        for text in [#"{"event":"hello"}"#, #"{"event":"hello","fall":{"state":"alarm","at":2}}"#] { late.take(try line(text)) }
        #expect(late.next()?.environment["GAITWAY_FALL"] == "alarm")
    }

    @Test func otherLinesAreNoEvents() throws {
        let queue = HookQueue()
        for text in [
            #"{"event":"hello","format":1}"#, #"{"event":"lost","lines":3}"#, #"{"event":"fall","at":1}"#,
            #"{"event":"decision","smoothed":"WALKING","confidence":0.5}"#, "[]",
        ] { queue.take(try line(text)) }
        #expect(queue.next() == nil)
    }
}

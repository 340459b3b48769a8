package import Support

/// Reads the running program's local stream to its end.
package enum StreamFollower {
    /// - Parameters:
    ///   - events: those that are wanted; the usual ones when empty.
    ///   - sink: gets every line, as JSON and as it was sent.
    /// - Throws: `.noInput` when no gaitway runs, `.temporary` when it ends, and what `sink` throws.
    package static func follow(
        _ events: [StreamEvent], unless cancellation: Stop, _ sink: (JSONValue, String) throws(Fault) -> Void
    ) throws(Fault) {
        let stream = try StreamConnection(events.isEmpty ? Array(StreamEvent.usual) : events, at: nil)
        while true {
            switch try stream.next(within: 60_000, unless: cancellation) {
            case .event(let event, let line): try sink(event, line)
            case .none: continue
            case .cancelled: return
            case .end: throw Fault(.temporary, "the gaitway that was followed has ended")
            }
        }
    }
}

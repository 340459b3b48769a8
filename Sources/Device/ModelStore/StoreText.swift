package import Support

/// A board's models, for programs and for people.
extension StoreStatus {
    /// Only the members that there are.
    package var json: JSONValue {
        .members([
            ("current", JSONValue(current)), ("previous", JSONValue(previous)), ("candidate", JSONValue(candidate)),
            ("stage", JSONValue(stage?.rawValue)),
            ("highest", .integer(highest)), ("pinned", .bool(isPinned)),
            (
                "refused",
                .array(
                    refused.map { ["version": .integer($0.version), "reason": .string($0.reason), "rolled_back": .bool($0.wasRunning)] })
            ),
        ])
    }

    package var text: String {
        var lines = [("runs", (current.map { "version \($0)" } ?? "the configuration's") + (isPinned ? ", pinned" : ""))]
        if let previous { lines.append(("before it", "version \(previous)")) }
        if let candidate, let stage { lines.append(("tried", "version \(candidate), \(stage == .shadow ? "beside it" : "on probation")")) }
        lines += refused.map { ("refused", Self.refusal($0.version, $0.reason)) }
        return lines.map { "\($0.0.padded(9))  \($0.1)" }.joined(separator: "\n")
    }

    /// Files that were refused before their version could be trusted have none.
    package static func refusal(_ version: Int, _ reason: String) -> String { version == 0 ? reason : "version \(version): \(reason)" }
}

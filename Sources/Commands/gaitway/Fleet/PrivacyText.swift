import CrowdLearning
import Ledger
import Runtime
import Support

enum PrivacyText {
    static func text(_ statement: PrivacyStatement) -> String {
        let entries = statement.left.entries
        var lines = [
            entries.isEmpty && statement.crowd == nil
                ? "nothing is counted to have left this board"
                : "what left this board"
                    + (entries.isEmpty ? "" : ", counted since \(date(statement.left.since))")
        ]
        let rows = entries.map {
            [
                $0.kind.rawValue, Printable.text($0.destination), amount($0),
                "last \(date($0.last))" + ($0.erased.map { ", erased \(date($0))" } ?? ""),
            ]
        }
        for row in rows {
            lines.append(
                "  "
                    + row.indices.map { column in
                        column == row.count - 1 ? row[column] : row[column].padded(rows.map { $0[column].count }.max() ?? 0)
                    }.joined(separator: "  "))
        }
        if let crowd = statement.crowd {
            let sum =
                crowd.unbounded > 0
                ? "\(crowd.unbounded) of them about which nothing is promised" : "epsilon \(Decimals.text(crowd.epsilon, places: 2))"
            let limit = statement.crowdLimit.map { " of \(Decimals.text($0, places: 2)) at most" } ?? ""
            lines.append("  crowd: \(Units.several(crowd.checkIns, "gradient")), \(sum)\(crowd.unbounded > 0 ? "" : limit)")
        }
        lines.append(
            "waiting: \(Units.files(statement.files)), \(Units.megabytes(statement.bytes)); \(Units.several(statement.events, "event"))")
        lines.append("the hub: " + (statement.hub.map { Printable.text($0) } ?? "not registered"))
        for one in statement.kept { lines.append("kept here: \(one.what) in \(one.place)") }
        return lines.joined(separator: "\n")
    }

    private static func amount(_ entry: LedgerEntry) -> String {
        switch entry.kind {
        case .uploads: "\(Units.files(Int(clamping: entry.messages))), \(entry.items) windows, \(Units.megabytes(entry.bytes))"
        case .heartbeats: "\(entry.messages), \(entry.items) with an activity"
        case .events: "\(entry.items) changes and falls"
        case .broker: "\(Units.several(entry.messages, "message")), \(entry.items) with an activity or a fall"
        }
    }

    private static func date(_ seconds: Int64) -> String {
        let digits = CalendarTime(local: seconds).digits
        let part = { (from: Int, count: Int) in digits.dropFirst(from).prefix(count) }
        return "\(part(0, 4))-\(part(4, 2))-\(part(6, 2)) \(part(8, 2)):\(part(10, 2))"
    }

    static func json(_ statement: PrivacyStatement) -> JSON {
        let entries = statement.left.entries.map { entry in
            JSON.object([
                ("way", .string(entry.kind.rawValue)), ("to", .string(entry.destination)), ("messages", .integer(entry.messages)),
                ("items", .integer(entry.items)), ("bytes", entry.kind == .uploads ? .integer(entry.bytes) : .null),
                ("first", .integer(entry.first)),
                ("last", .integer(entry.last)), ("erased", entry.erased.map { .integer($0) } ?? .null),
            ])
        }
        let crowd = statement.crowd.map { budget in
            JSON.object([
                ("gradients", .integer(budget.checkIns)), ("epsilon", .number(Decimals.text(budget.epsilon, places: 6))),
                ("without_promise", .integer(budget.unbounded)),
                ("limit", statement.crowdLimit.map { .number(Decimals.text($0, places: 6)) } ?? .null),
            ])
        }
        return .object([
            ("since", statement.left.since == 0 ? .null : .integer(statement.left.since)), ("left", .array(entries)),
            ("crowd", crowd ?? .null),
            (
                "waiting",
                .object([
                    ("files", .integer(statement.files)), ("bytes", .integer(statement.bytes)), ("events", .integer(statement.events)),
                ])
            ),
            ("hub", statement.hub.map { .string($0) } ?? .null),
            ("kept", .array(statement.kept.map { .object([("what", .string($0.what)), ("place", .string($0.place))]) })),
        ])
    }

    static func text(_ steps: [Erasure.Step]) -> String {
        if steps.isEmpty { return "there was nothing to erase" }
        return steps.map { step in
            let place = Printable.text(step.place)
            return switch step.outcome {
            case .removed(let what): "erased  \(place): \(what)"
            case .cannot(let why): "stays   \(place): \(why)"
            case .failed(let fault): "failed  \(place): \(Printable.text(fault.message))"
            }
        }.joined(separator: "\n")
    }

    static func json(_ steps: [Erasure.Step], at time: Int64) -> JSON {
        .object([
            ("at", .integer(time)),
            (
                "steps",
                .array(
                    steps.map { step in
                        let (outcome, what) =
                            switch step.outcome {
                            case .removed(let what): ("erased", what)
                            case .cannot(let why): ("stays", why)
                            case .failed(let fault): ("failed", fault.message)
                            }
                        return .object([("place", .string(step.place)), ("outcome", .string(outcome)), ("what", .string(what))])
                    })
            ),
        ])
    }
}

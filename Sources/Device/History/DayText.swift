internal import HubProtocol
package import Support

/// A day, for people and for programs.
package enum DayText {
    /// - Parameter now: ms since 1970: the day is not over before its end.
    package static func text(_ day: Day, now: Int64) -> String {
        guard !day.stretches.isEmpty || day.steps > 0 || !day.falls.isEmpty || !day.notWorn.isEmpty else {
            return "\(day.name)  nothing is kept of this day"
        }
        var lines = [day.name, ""]
        let longest = day.lengths.first?.length ?? 1
        for (label, length) in day.lengths {
            let bar = String(repeating: "#", count: max(1, Int(length * 24 / max(1, longest))))
            lines.append("\(Printable.text(label).padded(20)) \(hours(length).aligned(9))  \(bar)")
        }
        if day.notWornLength > 0 { lines.append("\("not worn".padded(20)) \(hours(day.notWornLength).aligned(9))") }
        lines += ["", "\("steps".padded(20)) \("\(day.steps)".aligned(9))"]
        let walks = day.bouts.filter { $0.to - $0.from >= 60_000 }
        if let bout = day.bouts.max(by: { $0.to - $0.from < $1.to - $1.from }) {
            lines.append(
                """
                \("walks of 1 min or more".padded(22)) \("\(walks.count)".aligned(9))  longest \(hours(bout.to - bout.from)) from \
                \(Calendar.clock(bout.from)), \(bout.steps) steps, \(bout.cadence) a minute
                """)
        }
        if let sitting = day.longestSitting {
            lines.append(
                "\("longest sitting".padded(20)) \(hours(sitting.to - sitting.from).aligned(9))  from \(Calendar.clock(sitting.from))")
        }
        for fall in day.falls {
            lines.append(
                "\("fall".padded(20)) \(Calendar.clock(fall.at).aligned(9))  \(fall.text)"
            )
        }
        return lines.joined(separator: "\n")
    }

    private static func hours(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        return seconds < 60 ? "\(seconds) s" : seconds < 3600 ? "\(seconds / 60) min" : "\(seconds / 3600) h \(seconds / 60 % 60) min"
    }

    package static func json(_ day: Day) -> JSON {
        func time(_ milliseconds: Int64) -> JSON { .number(Decimals.text(milliseconds, over: 1000, places: 3)) }
        func seconds(_ milliseconds: Int64) -> JSON { .number(Decimals.text(milliseconds, over: 1000, places: 1)) }
        return .object([
            ("date", .string(day.name)), ("from", time(day.from)), ("to", time(day.to)), ("steps", .integer(day.steps)),
            ("steps_by_hour", .array(day.stepsByHour.map(JSON.integer))),
            ("seconds", .object(day.lengths.map { ($0.label, seconds($0.length)) })),
            (
                "timeline",
                .array(day.stretches.map { .object([("activity", .string($0.label)), ("from", time($0.from)), ("to", time($0.to))]) })
            ),
            (
                "bouts",
                .array(
                    day.bouts.map {
                        .object([
                            ("from", time($0.from)), ("to", time($0.to)), ("steps", .integer($0.steps)), ("cadence", .integer($0.cadence)),
                        ])
                    })
            ),
            ("longest_sitting_seconds", day.longestSitting.map { seconds($0.to - $0.from) } ?? .null),
            (
                "falls",
                .array(
                    day.falls.map { .object([("at", time($0.at)), ("state", .string($0.state.rawValue)), ("alarm", .bool($0.wasAlarm))]) })
            ),
            ("not_worn", .array(day.notWorn.map { .object([("from", time($0.from)), ("to", time($0.to))]) })),
        ])
    }
}

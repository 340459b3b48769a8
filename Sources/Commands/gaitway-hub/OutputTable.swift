import Foundation
import Support

/// Rows for people, in columns; or for programs, one JSON object a line.
struct OutputTable {
    let names: [String]
    var rows: [[String]] = []

    func print(json: Bool) {
        if json {
            for row in rows {
                Swift.print(String(decoding: JSONValue.members(zip(names, row).map { ($0, .string($1)) }).bytes, as: UTF8.self))
            }
            return
        }
        let widths = names.indices.map { column in ([names] + rows).map { $0[column].count }.max() ?? 0 }
        for row in [names] + rows {
            Swift.print(
                zip(row, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }.joined(separator: "  ")
                    .trimmed)
        }
    }

    /// "2026-11-21 12:00:00", UTC.
    static func time(_ seconds: Double?) -> String {
        seconds.map {
            Date(timeIntervalSince1970: $0).formatted(
                .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
        } ?? ""
    }
}

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
        for line in ([names] + rows).columns { Swift.print(line) }
    }

    /// "2026-11-21 12:00:00", UTC.
    static func time(_ seconds: Double?) -> String {
        seconds.map {
            Date(timeIntervalSince1970: $0).formatted(
                .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
        } ?? ""
    }
}

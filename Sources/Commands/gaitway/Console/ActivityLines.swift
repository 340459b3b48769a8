import HubProtocol
import Recognition
import Runtime
import Support

/// How an activity looks to people and to programs.
struct ActivityLines {
    let json: Bool
    /// Whether each decision has its time of day, seconds since 1970.
    let hasTime: Bool
    private var text = TextLine()

    // Where a row with its bar would be cut in two.
    private let isNarrow = Console.outputIsTerminal && Console.columns < 78

    init(json: Bool, hasTime: Bool) { (self.json, self.hasTime) = (json, hasTime) }

    func header(labels: [String]) -> String {
        let width = Self.width(labels)
        return Console.styled("\("seconds".aligned(9))  \("activity".padded(width))  \("window".padded(width))  confidence", .dim)
    }

    /// With its line feed; its memory is used again for the next one.
    mutating func line(_ activity: Activity) -> TextLine {
        text.clear()
        if json {
            text.append("{")
            activity.writeMembers(to: &text)
            if hasTime {
                text.append(",\"at\":")
                text.append(SystemTime.wall / 1_000_000 - activity.waited, over: 1000, places: 3)
            }
            text.append("}")
        } else {
            writeRow(activity)
        }
        text.append("\n")
        return text
    }

    /// A fall, as it becomes known.
    mutating func line(_ report: FallWatch.Report) -> TextLine {
        text.clear()
        if json {
            text.append("{\"fall\":")
            text.append(quoted: report.state.rawValue)
            text.append(",\"at\":")
            text.append(report.at, over: 1000, places: 3)
            text.append("}\n")
        } else {
            let style: Console.Style = report.state == .recovered || report.state == .cancelled ? .green : .red
            text.append(Console.styled("     fall  \(report.state.rawValue)", style))
            text.append("\n")
        }
        return text
    }

    private mutating func writeRow(_ activity: Activity) {
        let filled = Int(activity.confidence) * 20 / 32768, width = Self.width(activity.labels)
        let style: Console.Style = activity.smoothed == Smoothing.unknown ? .yellow : .green
        text.append(activity.end, over: 50, places: 2, aligned: 9)
        text.append("  ")
        if Console.colours { text.append(style.begin) }
        text.append(activity.smoothed, padded: width)
        if Console.colours { text.append(Console.Style.end) }
        text.append("  ")
        text.append(activity.label, padded: width)
        text.append("  ")
        if !isNarrow {
            text.append("#", times: filled)
            text.append(".", times: 20 - filled)
            text.append(" ")
        }
        text.append(Int64(activity.confidence) * 100, over: 32768, places: 0, aligned: 3)
        text.append(activity.isStill ? " %  still" : " %")
    }

    private static func width(_ labels: [String]) -> Int {
        var widest = Smoothing.unknown.count
        for label in labels { widest = max(widest, label.count) }
        return widest
    }
}

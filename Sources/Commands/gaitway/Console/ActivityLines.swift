import Recognition
import Support

/// How an activity looks to people and to programs.
struct ActivityLines {
    let json: Bool

    private func width(_ labels: [String]) -> Int { Swift.max(labels.map(\.count).max() ?? 0, Smoothing.unknown.count) }

    func header(labels: [String]) -> String {
        Console.styled("\("seconds".aligned(9))  \("activity".padded(width(labels)))  \("window".padded(width(labels)))  confidence", .dim)
    }

    func line(_ activity: Activity) -> String { json ? object(activity).text : row(activity) }

    private func row(_ activity: Activity) -> String {
        let filled = Int(activity.confidence) * 20 / 32768, width = width(activity.labels)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
        let style: Console.Style = activity.smoothed == Smoothing.unknown ? .yellow : .green
        let time = Decimals.text(activity.end, over: 50, places: 2).aligned(9)
        let share = Decimals.text(Int(activity.confidence) * 100, over: 32768, places: 0).aligned(3)
        return "\(time)  \(Console.styled(activity.smoothed.padded(width), style))  \(activity.label.padded(width))  \(bar) \(share) %"
    }

    private func object(_ activity: Activity) -> JSON {
        var entries: [(String, JSON)] = [
            ("t", .number(Decimals.text(activity.end, over: 50, places: 2))), ("activity", .string(activity.label)),
            ("confidence", Self.probability(activity.confidence)), ("smoothed", .string(activity.smoothed)),
            ("probabilities", .object(zip(activity.labels, activity.probabilities).map { ($0, Self.probability($1)) })),
        ]
        if let orientation = activity.orientation { entries.append(("orientation", .string(orientation.rawValue))) }
        if let placement = activity.placement { entries.append(("placement", .string(placement))) }
        if activity.isNovel { entries.append(("novel", .bool(true))) }
        return .object(entries)
    }

    /// Q0.15 with five decimals: every value of it stays distinct.
    private static func probability(_ value: Int16) -> JSON { .number(Decimals.text(Int(value), over: 32768, places: 5)) }
}

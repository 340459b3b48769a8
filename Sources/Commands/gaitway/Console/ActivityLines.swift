import Recognition
import Runtime
import Support

/// How an activity looks to people and to programs.
struct ActivityLines {
    let json: Bool

    private func width(_ labels: [String]) -> Int { Swift.max(labels.map(\.count).max() ?? 0, Smoothing.unknown.count) }

    func header(labels: [String]) -> String {
        Console.styled("\("seconds".aligned(9))  \("activity".padded(width(labels)))  \("window".padded(width(labels)))  confidence", .dim)
    }

    func line(_ activity: Activity) -> String { json ? JSON.object(activity.members).text : row(activity) }

    private func row(_ activity: Activity) -> String {
        let filled = Int(activity.confidence) * 20 / 32768, width = width(activity.labels)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
        let style: Console.Style = activity.smoothed == Smoothing.unknown ? .yellow : .green
        let time = Decimals.text(activity.end, over: 50, places: 2).aligned(9)
        let share = Decimals.text(Int(activity.confidence) * 100, over: 32768, places: 0).aligned(3)
        let smoothed = Console.styled(activity.smoothed.padded(width), style), still = activity.isStill ? "  still" : ""
        return "\(time)  \(smoothed)  \(activity.label.padded(width))  \(bar) \(share) %\(still)"
    }
}

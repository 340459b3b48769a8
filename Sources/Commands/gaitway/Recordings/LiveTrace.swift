import Charts
import Sensing
import Support

/// Three curves that move while samples come in, on a terminal's standard error.
struct LiveTrace {
    private var values: [[Double]] = [[], [], []]
    private var isDrawn = false
    private let label: String
    private static let width = 60, reach = 8.0 // seconds that are shown

    init(label: String) { self.label = label }

    mutating func show(_ progress: Recorder.Progress, rate: Int) {
        guard Console.errorIsTerminal, Console.hasUnicode else {
            let left = Decimals.text(Int64(progress.total - progress.count) * 1000, over: rate, places: 0)
            return Console.progress("\(label): now, \(left) s left")
        }
        for (index, sample) in progress.latest.enumerated() { values[index % 3].append(Double(sample) * 0x1p-12) }
        let most = Int(Self.reach * Double(rate) / 1000)
        for axis in 0..<3 where values[axis].count > most { values[axis].removeFirst(values[axis].count - most) }
        var lines: [String] = []
        for (axis, name) in TraceChart.axes.enumerated() {
            let curve = TerminalTrace.rows(values[axis], width: Self.width, height: 2, range: -2...2),
                now = Decimals.text(values[axis].last ?? 0, places: 2)
            lines += ["  \(curve[0])", "\(name) \(curve[1]) \(now.aligned(6)) g"]
        }
        let seconds = Decimals.text(Int64(progress.count) * 1000, over: rate, places: 1),
            total = Decimals.text(Int64(progress.total) * 1000, over: rate, places: 1)
        lines.append("\(label): \(seconds) of \(total) s, \(Decimals.text(progress.rate, over: 1000, places: 1)) Hz")
        let back = isDrawn ? "\u{1b}[\(lines.count - 1)A\r" : ""
        Console.draw(back + lines.map { $0 + "\u{1b}[K" }.joined(separator: "\n"))
        isDrawn = true
    }

    func end() { if isDrawn { Console.draw("\n") } }
}

import ArgumentParser
import Charts
import Sensing
import Support

struct RecordingsShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Draw a recording in the terminal, or as an SVG picture.")

    @Argument(help: "The recording's name, as `gaitway recordings list` gives it.")
    var name: String
    @Option(help: ArgumentHelp("Write a picture instead.", valueName: "file"), completion: .file())
    var svg: String?
    @OptionGroup var place: RecordingsOptions

    func run() throws {
        let store = try place.store(), entry = try store.entry(name), recording = try store.read(entry)
        let samples = recording.samples.map { Double($0) * 0x1p-12 }
        let title =
            "\(entry.label), \(Decimals.text(recording.seconds, places: 1)) s at \(Decimals.text(recording.rate, over: 1000, places: 1)) Hz"
        if let svg {
            try Files.write(Array(TraceChart.svg(samples, rate: Double(recording.rate) / 1000, title: title).text.utf8), to: svg)
            try Console.print("written to \(svg)")
            return
        }
        try Console.print(title)
        let width = min(Console.columns - 10, 120), common = AxisScale.of(samples)
        for (axis, name) in TraceChart.axes.enumerated() {
            let values = stride(from: axis, to: samples.count, by: 3).map { samples[$0] }
            let rows = TerminalTrace.rows(values, width: width, height: 4, range: common.low...common.high)
            for (index, row) in rows.enumerated() {
                let edge = index == 0 ? "\(common.high)" : index == rows.count - 1 ? "\(common.low)" : index == 1 ? name : ""
                try Console.print("\(edge.aligned(6)) \(Console.styled(row, [.red, .green, .blue][axis]))")
            }
        }
        try Console.print("\("0".aligned(8))\((Decimals.text(recording.seconds, places: 1) + " s").aligned(max(0, width - 1)))")
    }
}

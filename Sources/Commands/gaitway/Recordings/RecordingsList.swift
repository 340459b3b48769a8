import ArgumentParser
import Sensing
import Support

struct RecordingsList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "The recordings, the oldest first.")

    @OptionGroup var place: RecordingsOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        let store = try place.store(), entries = try store.entries()
        var seconds: [String: Double] = [:]
        if !format.json && !entries.isEmpty {
            try Console.print(Console.styled("\("seconds".aligned(8)) \("rate".aligned(10))  recording", .dim))
        }
        for entry in entries {
            let recording = try store.read(entry)
            seconds[entry.label, default: 0] += recording.seconds
            let length = Decimals.text(recording.seconds, places: 1), rate = Decimals.text(recording.rate, over: 1000, places: 2)
            if format.json {
                try Console.print(
                    JSON.object([
                        ("name", .string(entry.name)), ("label", .string(entry.label)), ("samples", .integer(recording.count)),
                        ("seconds", .number(length)), ("rate", .number(rate)),
                    ]).text)
            } else {
                try Console.print("\(length.aligned(8)) \((rate + " Hz").aligned(10))  \(entry.name)")
            }
        }
        if !format.json {
            let labels = try store.labels().map { "\($0) \(Decimals.text(seconds[$0] ?? 0, places: 1)) s" }
            try Console.print(labels.isEmpty ? "no recordings in \(store.directory)" : "\n" + labels.joined(separator: ", "))
        }
    }
}

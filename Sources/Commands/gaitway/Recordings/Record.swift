import ArgumentParser
import Sensing
import Support

struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record an activity under its name, to train on.",
        discussion: """
            A countdown, a bell, then the sensor's own samples, a bell. The file has Swift-HAR's columns: time in seconds and three \
            accelerations in g, with Linux's signs (`gaitway recordings export --format iphone` turns them). Ctrl-C keeps nothing.
            """)

    @Option(help: ArgumentHelp("What the wearer does.", valueName: "label"))
    var label: String
    @OptionGroup var capture: CaptureOptions
    @OptionGroup var place: RecordingsOptions
    @Option(
        help: ArgumentHelp(
            "swift-har: at 100 Hz where the sensor can, under names as Swift-HAR's, whose dates have no leading zeros.", valueName: "system"
        ))
    var compat: Compatibility?
    @OptionGroup var format: OutputOptions

    func run() throws {
        let settings = try place.settings()
        let store = try RecordingStore(making: place.directory(settings))
        try store.check(label)
        let recording = try capture.capture(label, settings, compat: compat).recording
        let path = try store.add(recording, at: .now, isCompatible: compat == .swiftHAR)
        let seconds = Decimals.text(recording.seconds, places: 1), rate = Decimals.text(recording.rate, over: 1000, places: 1)
        if format.json {
            try Console.print(
                JSON.object([
                    ("path", .string(path)), ("label", .string(label)), ("samples", .integer(recording.count)),
                    ("seconds", .number(seconds)), ("rate", .number(rate)),
                ]).text)
        } else {
            try Console.print("\(seconds) s of \(label) at \(rate) Hz, in \(path)")
        }
    }
}

/// Whose behaviour is reproduced.
enum Compatibility: String, ExpressibleByArgument {
    case swiftHAR = "swift-har"
}

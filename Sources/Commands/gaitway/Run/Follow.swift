import ArgumentParser
import Runtime
import Support

struct Follow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Print what the running gaitway decides, as it does.",
        discussion: """
            Reads its local stream: this user's program, else the service. With --json the stream's lines as they come, see \
            board/guide/stream.md. It ends with exit code 75 when that program ends.
            """)

    @Flag(help: "Print a line only when the smoothed activity changes.")
    var changes = false
    @Flag(help: "Also print the sensor's samples; with --json alone.")
    var samples = false
    @OptionGroup var format: OutputOptions

    func validate() throws {
        if samples && !format.json { throw ValidationError("--samples is for --json") }
    }

    func run() throws {
        Interruption.watch()
        var events: [StreamEvent] = [changes ? .changes : .decisions, .falls, .model, .health]
        if format.json { events.append(.steps) }
        if samples { events.append(.samples) }
        try StreamFollower.follow(events, unless: Interruption.stop) { event, line throws(Fault) in
            if format.json {
                try Console.print(line)
            } else if let text = FollowText.line(event) {
                try Console.print(text)
            }
        }
    }
}

import ArgumentParser
import Recognition
import Sensing
import Settings
import Support
import Training

/// How `record` and `guess` take samples: a countdown, a bell, a stretch of samples, a bell.
struct CaptureOptions: ParsableArguments {
    @OptionGroup var origin: SourceOptions
    @Option(help: ArgumentHelp("How much to record.", valueName: "seconds"))
    var seconds = 10.0
    @Option(help: ArgumentHelp("How long to wait first.", valueName: "seconds"))
    var countdown = 2
    @Option(help: ArgumentHelp("real or max: the pace at which recordings and the simulated wearer are played.", valueName: "pace"))
    var speed = Speed.real

    func validate() throws {
        guard seconds >= 0.1, seconds <= 86_400 else { throw ValidationError("--seconds takes 0.1 to 86400") }
        guard (0...3600).contains(countdown) else { throw ValidationError("--countdown takes 0 to 3600") }
    }

    /// - Parameter compat: whose recordings these are to be: Swift-HAR's have 100 Hz.
    /// - Throws: those of the source; `.failure` when it was interrupted.
    func capture(
        _ label: String, _ settings: Settings, compat: Compatibility? = nil
    ) throws(Fault) -> (recording: Recording, source: any SampleSource) {
        let wanted = compat == .swiftHAR ? SwiftHARTrainer.rate : SamplingRates.usual, source = try origin.start(settings, rate: wanted)
        if source.rate < wanted {
            Console.note(
                """
                \(source.name) has \(Decimals.text(source.rate, over: 1000, places: 1)) Hz, and Swift-HAR's recordings 100 Hz: there are \
                \(Int(seconds * Double(source.rate) / 1000)) rows, of which each counts twice or more often when they are trained on
                """)
        }
        let recorder = Recorder(source, speed: speed)
        for left in stride(from: countdown, to: 0, by: -1) {
            Console.progress("\(label) in \(left) ...")
            // A live sensor goes on while nobody listens; others wait.
            if source.isLive {
                try recorder.skip(seconds: 1) { Interruption.stop.isRaised }
            } else if speed == .real {
                _ = Interruption.stop.isRaised(within: 1000)
            }
            if Interruption.stop.isRaised { break }
        }
        Console.progress(nil)
        Console.bell()
        var trace = LiveTrace(label: label)
        let recording = try recorder.record(label, seconds: seconds) { progress in
            trace.show(progress, rate: source.rate)
        } stopping: {
            Interruption.stop.isRaised
        }
        trace.end()
        Console.bell()
        guard let recording else { throw Fault(.failure, "interrupted: nothing was kept") }
        return (recording, source)
    }
}

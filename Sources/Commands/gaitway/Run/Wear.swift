import ArgumentParser
import Logging
import NeuralNetwork
import Recognition
import Runtime
import Sensing
import Settings
import Support

struct Wear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wear", abstract: "Learn how the sensor is worn from ten seconds of walking.",
        discussion: """
            Put the sensor where you wear it, any way up, start this and walk. What it finds is kept for `gaitway run`, which learns the \
            same by itself as soon as somebody walks for a quarter of a minute. Where a service reads the sensor, that \
            learns it anew; interrupted, or where nobody walks for a minute and a half, it goes by what it knew before; --seconds and \
            --countdown are for a sensor that no service reads.
            """)

    @OptionGroup var model: ModelOptions
    @OptionGroup var capture: CaptureOptions
    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var format: OutputOptions

    func run() throws {
        let settings = try place.load()
        if capture.origin.source == nil, try Self.isRunning() { return try awaitService() }
        let network = try model.load(settings)
        try WearingTrial.check(network)
        let captured = try capture.capture("Walk", settings)
        let trial = try WearingTrial(captured.recording.samples, rate: captured.recording.rate, network: network)
        if var kept = OrientationFile(of: captured.source, log: Logger(label: "gaitway")) {
            try kept.keep(trial.orientation)
        } else {
            Console.note("\(captured.source.name) is worn anew each time: nothing is kept")
        }
        try show(trial)
    }

    private func show(_ trial: WearingTrial) throws {
        let up = trial.orientation.up
        if format.json {
            try Console.print(
                JSON.object([
                    ("orientation", .string(KnownBy.learnt.rawValue)), ("placement", trial.placement.map(JSON.string) ?? .null),
                    ("up", .array(up.map { .number(Decimals.text($0, places: 3)) })),
                ]).text)
        } else {
            let shown = zip(["x", "y", "z"], up).map { "\($0) \(Decimals.text($1, places: 2))" }.joined(separator: ", ")
            try Console.print("worn at the \(trial.placement ?? "body"); while you walk, up is \(shown)")
        }
    }

    private static func isRunning() throws(Fault) -> Bool {
        do throws(Fault) {
            try ControlClient.ask([("command", "status")])
            return true
        } catch  where error.code == .noInput {
            return false
        }
    }

    // The service has the sensor: it learns again, and goes by what it knew before where nobody walks.
    private func awaitService() throws {
        Interruption.watch(hangUpStops: true)
        let start = try RunningProgram.now()
        try ControlClient.ask([("command", "wear")])
        do throws(Fault) {
            try awaitWalking(start)
        } catch {
            // One that was started anew was not asked; one that went back has nothing to undo.
            let isWaiting = (try? RunningProgram.now()).map { $0.isSame(as: start) && !$0.isLearnt } ?? false
            guard isWaiting, (try? ControlClient.ask([("command", "undo-wear")])) != nil else { throw error }
            throw Fault(
                error.code, "\(error.message): what the service knew before counts again once no gaitway wear waits", remedy: error.remedy)
        }
    }

    // A service that is being started anew does not answer for some seconds.
    private static func answer() throws(Fault) -> RunningProgram {
        for _ in 0..<5 {
            do throws(Fault) {
                return try RunningProgram.now()
            } catch  where error.code == .temporary || error.code == .noInput {
                if Interruption.stop.isRaised(within: 1000) { throw Fault(.failure, "interrupted") }
            }
        }
        return try RunningProgram.now()
    }

    // Another program may have the service go by what it knew: what it then calls learnt is not news.
    private func awaitWalking(_ start: RunningProgram) throws(Fault) {
        // The decision before may still come.
        _ = Interruption.stop.isRaised(within: 3000)
        for left in stride(from: 90, to: 0, by: -1) {
            let now = try Self.answer(), answer = now.status
            guard now.isSame(as: start) else { throw Fault(.temporary, "the service was started anew", remedy: "Try again.") }
            guard answer["activity"]?.text != nil else {
                throw Fault(
                    .sensorUnavailable, "the service has no samples of \(answer["source"]?.text ?? "its sensor")",
                    remedy: "Connect it and try again; gaitway doctor says what is missing.")
            }
            guard !now.isLearnt || now.timesLearnt > start.timesLearnt else {
                throw Fault(.temporary, "another program had the service go back to what it knew", remedy: "Try again.")
            }
            if now.isLearnt {
                Console.progress(nil)
                let place = answer["placement"]?.text ?? "body"
                return try Console.print(
                    format.json
                        ? JSON.object([("orientation", .string(KnownBy.learnt.rawValue)), ("placement", .string(place))]).text
                        : "worn at the \(place); which way is up was learnt")
            }
            Console.progress("Walk, \(left) s left ...")
            if Interruption.stop.isRaised(within: 1000) { throw Fault(.failure, "interrupted") }
        }
        throw Fault(.badData, "nobody walked for a quarter of a minute", remedy: "Walk straight on at your usual pace and try again.")
    }
}

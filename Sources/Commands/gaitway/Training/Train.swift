import ArgumentParser
import Evaluation
import NeuralNetwork
import Recognition
import Runtime
import Sensing
import Settings
import Support
import Training

struct Train: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train", abstract: "Train a network on labelled recordings and quantise it.",
        discussion: """
            On one's own recordings (`gaitway record`): the first 70 % of each are learnt from, the rest is measured on. On those of \
            several people, as recording sets (set.csv, index.csv, labels.csv and .i16 files) or in the layout of the HAPT data set \
            (recordings.csv with labels.csv and .i16 files, or the public archive's RawData/acc_expNN_userMM.txt with labels.txt): \
            --leave-out names the people to measure on. The same options give the same file, to the bit.
            """)

    @Option(
        help: ArgumentHelp(
            "Directory of labelled recordings; several people's may be given several times. (default: the configuration's)",
            valueName: "dir"), completion: .directory)
    var recordings: [String] = []
    @OptionGroup var place: ConfigurationOptions
    @Option(help: ArgumentHelp("People to measure on instead of training on them, as 1,3,5 or s01,s07.", valueName: "people"))
    var leaveOut = NameList()
    @Option(help: ArgumentHelp("Train on these people alone, as 1,3,5 or s01,s07.", valueName: "people"))
    var people = NameList()
    @Option(help: ArgumentHelp("Train on these places of the body alone, as waist,pocket.", valueName: "placements"))
    var placement = NameList()
    @Option(help: ArgumentHelp("Activities that a worn network is not to know, as RUNNING,CYCLING.", valueName: "activities"))
    var without = NameList()
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --from and a worn network: the sensor's axis towards the head of who stood.", valueName: "axis"))
    var up: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The same towards his front.", valueName: "axis"))
    var forward: String?
    @Option(
        help: ArgumentHelp(
            "Samples of a window at 50 Hz. (default: 100 on one's own recordings, 128 on several people's)", valueName: "samples"))
    var window: Int?
    @Option(help: ArgumentHelp("Samples between two windows that are learnt from. (default: 10 and 64)", valueName: "samples"))
    var stride: Int?
    @Option(
        help: ArgumentHelp(
            """
            window: a hidden layer on each window. sequence: convolutions, and an LSTM that remembers the windows before. worn: \
            features in the wearer's own directions, which walking shows, and an LSTM. (default: worn on several people's recordings)
            """,
            valueName: "kind"))
    var network: NetworkKind?
    @Option(
        help: ArgumentHelp("What of a window a window network takes: raw, features-17, features-80 or raw+features-17.", valueName: "input")
    )
    var input = NetworkInput.raw
    @Option(help: "Units of the hidden layer of a window network.")
    var hidden = 240
    @Option(help: "Bits of each weight, 2 to 8; of networks on single windows to 16.")
    var bits = 8
    @Option(
        help: ArgumentHelp(
            "Passes over the training windows. (default: by the number of windows; 60 or, of a sequence network, 180)", valueName: "epochs")
    )
    var epochs: Int?
    @Flag(inversion: .prefixedNo, help: "Move, tilt and blur the windows anew in every epoch. (default: yes)")
    var augment: Bool?
    @Option(help: "Seed of every random choice.")
    var seed: UInt64 = 1
    @Option(help: "Version to write into the model.")
    var modelVersion = 1
    @Option(
        help: ArgumentHelp(
            "A model to teach the recorded activities, beside those it knows: only its last layer changes.", valueName: "file"),
        completion: .file())
    var from: String?
    @Option(help: ArgumentHelp("swift-har: train as Swift-HAR did in 2017, to compare results.", valueName: "system"))
    var compat: Compatibility?
    @Option(
        help: ArgumentHelp("Where to write the model. (default: model.safetensors beside one's own recordings)", valueName: "file"),
        completion: .file())
    var output: String?
    @Option(
        help: ArgumentHelp(
            """
            Learn which blows are falls, from recording sets: the first one's falls (label FALL) and daily life, and the daily life of \
            others; may be given several times.
            """, valueName: "dir"), completion: .directory)
    var falls: [String] = []
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard input != .worn, input != .features else {
            throw ValidationError(
                "--input takes raw, features-17, features-80, raw+features-17 or swift-har; a worn network is --network worn")
        }
        guard without.names.isEmpty || from == nil && compat == nil else {
            throw ValidationError("--without is for networks that are trained from the start")
        }
        guard from != nil || up == nil && forward == nil else {
            throw ValidationError("--up and --forward belong to --from; sets' people show by walking how the sensor was worn")
        }
        let isOther = epochs != nil || stride != nil || augment != nil || window != nil || network != nil || bits != 8 || hidden != 240
        guard from == nil || !isOther && input == .raw && leaveOut.names.isEmpty && people.names.isEmpty else {
            throw ValidationError(
                """
                --from changes a model's last layer alone, by the windows that it takes: leave out --epochs, --stride, --augment, \
                --no-augment, --window, --network, --bits, --hidden, --input, --leave-out and --people
                """)
        }
        if let window, !(1...1024).contains(window) { throw ValidationError("--window takes 1 to 1024") }
    }

    func run() throws {
        if !falls.isEmpty { return try trainFalls() }
        let directory = try directory()
        if compat == .swiftHAR { return try trainAsSwiftHAR(directory) }
        if let from { return try tune(try NetworkFile.load(from), directory) }
        let isPeople = RecordingSet.isOne(directory)
        guard let output = output ?? (isPeople ? nil : TrainedModel.path(directory)) else {
            throw Fault(.usage, "where shall the model go?", remedy: "Add --output FILE.")
        }
        if self.output != nil { try Files.requirePlace(for: output, reading: recordings) }
        guard isPeople || leaveOut.names.isEmpty else {
            throw Fault(.usage, "\(directory) has one's own recordings, without subjects to leave out")
        }
        let clock = ContinuousClock(), start = clock.now
        if isPeople, network.map({ $0 == .worn }) ?? (input == .raw) {
            var result = try trainWorn(directory) { show($0, elapsed: start.duration(to: clock.now)) }
            return try finish(&result, output)
        }
        guard recordings.count <= 1, people.names.isEmpty, placement.names.isEmpty, without.names.isEmpty else {
            throw Fault(
                .usage, "only a worn network learns from several directories, or from some people, places of the body or activities")
        }
        guard !isPeople || HAPTRecordings.areIn(directory) else {
            throw Fault(
                .usage, "\(directory) is a recording set, from which a worn network is learnt",
                remedy: "Leave out --network and --input; for another, gaitway recordings import makes recordings of one's own of it.")
        }
        let set =
            isPeople
            ? try TrainingSet(directory: directory, window: window ?? 128)
            : try TrainingSet(store: try RecordingStore(directory: directory), window: window ?? 100)
        var result = try train(set, isPeople) { show($0, elapsed: start.duration(to: clock.now)) }
        try finish(&result, output)
    }

    private func trainFalls() throws {
        guard recordings.isEmpty, people.names.isEmpty, placement.names.isEmpty, without.names.isEmpty, epochs == nil, from == nil,
            network == nil, compat == nil
        else { throw Fault(.usage, "--falls goes with --leave-out, --output and --json alone") }
        guard let output else { throw Fault(.usage, "where shall the model go?", remedy: "Add --output FILE.") }
        try Files.requirePlace(for: output)
        let trainer = try FallTrainer(falls, leavingOut: leaveOut.names) { Console.progress($0) }
        let result = try trainer.train { Console.progress($0) }
        try Files.write(result.model.encoded, to: output)
        var score: FallScore?
        if !leaveOut.names.isEmpty {
            Console.progress("measuring")
            score = try Evaluation.falls(
                falls, people: leaveOut.names, placements: [], turned: nil, FallDetection(model: result.model))
        }
        Console.progress(nil)
        try Console.print(format.json ? FallText.json(result, score, output).text : FallText.text(result, score, output))
    }

    private func finish(_ result: inout Trainer.Result, _ output: String) throws {
        Console.progress(nil)
        result.network.version = modelVersion
        try NetworkFile.save(result.network, to: output)
        try Console.print(format.json ? json(result, output).text : text(result, output))
    }

    private func directory() throws(Fault) -> String {
        var settings = try place.load()
        try settings.override(\.recordings, recordings.first)
        return settings.recordings
    }

    private func trainWorn(_ directory: String, progress: (Trainer.Progress) -> Void) throws(Fault) -> Trainer.Result {
        guard window == nil || window == WornSet.window, stride == nil else {
            throw Fault(.usage, "a worn network takes windows of \(WornSet.window) samples", remedy: "Leave out --window and --stride.")
        }
        var selection = WornSet.Selection(directories: recordings.isEmpty ? [directory] : recordings)
        (selection.placements, selection.people, selection.leftOut) = (placement.names, people.names, leaveOut.names)
        selection.without = without.names
        let set = try WornSet(selection) { Console.progress("reading recording \($0 + 1) of \($1)") }
        noteWhatIsOdd(in: set)
        var result = try WornTrainer(set, options()).train(progress: progress)
        guard !leaveOut.names.isEmpty else { return result }
        Console.progress("measuring")
        var measuring = Evaluation.Options()
        (measuring.people, measuring.placements) = (leaveOut.names, placement.names)
        do throws(Fault) {
            let score = try Evaluation.recordings(selection.directories, measuring, network: result.network)
            if let some = score.misscaled.firstAndCount {
                Console.progress(nil)
                Console.note("who was left out does not measure 1 g at rest (\(some)): \(SetScales.remedy)")
            }
            result.fixed = score.windows
        } catch {
            // What was trained stays.
            Console.progress(nil)
            Console.note("who was left out cannot be measured: \(error.message)")
        }
        return result
    }

    private func noteWhatIsOdd(in set: WornSet) {
        Console.progress(nil)
        if let some = set.misscaled.firstAndCount {
            Console.note("not learnt from: \(some); their scale cannot be right: \(SetScales.remedy)")
        }
        if !set.lost.isEmpty { Console.note("nothing is left of \(set.lost.joined(separator: ", ")): the model will not know that") }
        for place in set.placements where !RecordingSet.knownPlacements.contains(place) {
            Console.note("\"\(place)\" is none of \(RecordingSet.knownPlacements.joined(separator: ", ")): a place of its own")
        }
    }

    private func tune(_ network: Network, _ directory: String) throws {
        guard !RecordingSet.isOne(directory) else {
            throw Fault(
                .usage, "--from learns from one's own recordings, and \(directory) is a set of several people's",
                remedy: "gaitway recordings import makes recordings of one's own of it.")
        }
        let path = output ?? TrainedModel.path(directory)
        if output != nil { try Files.requirePlace(for: path, reading: [directory]) }
        let tuning = try FineTuning(network, store: try RecordingStore(directory: directory), configured: try wearing(network)),
            result = try tuning.train(version: modelVersion)
        try NetworkFile.save(result.network, to: path)
        if let warning = FineTuningText.warning(result) { Console.note(warning) }
        try Console.print(format.json ? FineTuningText.json(result, path).text : FineTuningText.text(result, path))
    }

    private func wearing(_ network: Network) throws(Fault) -> ConfiguredWearing {
        var settings = try place.load()
        try settings.override(\.placement, placement.names.first)
        try settings.override(\.up, up)
        try settings.override(\.forward, forward)
        return try ConfiguredWearing(settings, for: network)
    }

    private func trainAsSwiftHAR(_ directory: String) throws {
        let trainer = try SwiftHARTrainer(store: try RecordingStore(directory: directory)),
            path = output ?? TrainedModel.compatiblePath(directory)
        let start = SwiftHARNetwork(hidden: hidden, labels: trainer.labels, seed: seed), most = epochs ?? SwiftHARNetwork.epochs
        let result = trainer.train(start, epochs: most) { epoch, cost in
            Console.progress("Training NeuralNet: epoch \(epoch)/\(most), cost \(cost)")
        }
        Console.progress(nil)
        try SwiftHARWeights.save(result.network, to: path)
        let cost = Decimals.text(Double(result.cost), places: 4), accuracy = Decimals.text(result.accuracy, places: 4)
        if format.json {
            try Console.print(
                JSON.object([
                    ("labels", .array(trainer.labels.map(JSON.string))), ("epochs", .integer(result.epochs)), ("cost", .number(cost)),
                    ("accuracy", .number(accuracy)),
                    ("complete", .bool(result.isEnough)), ("output", .string(path)),
                ]).text)
        } else {
            try Console.print(
                """
                Training Complete\n\(result.epochs) epochs, cost \(cost), \(Units.percent(result.accuracy)) of the test windows; \
                written to \(path)
                """
            )
            if !result.isEnough {
                Console.note(
                    """
                    gaitway: the cost did not fall below 0.05, which Swift-HAR did not say; train without --compat for a network that \
                    does better
                    """
                )
            }
        }
    }

    private func train(_ set: TrainingSet, _ isPeople: Bool, progress: (Trainer.Progress) -> Void) throws(Fault) -> Trainer.Result {
        let options = options()
        switch network ?? .window {
        case .worn:
            throw Fault(
                .usage, "a worn network is learnt from several people's recordings, in which they walk", remedy: "Leave --network out.")
        case .sequence:
            guard input == .raw else { throw Fault(.usage, "a sequence network takes raw windows", remedy: "Add --network window.") }
            guard isPeople else {
                throw Fault(
                    .usage, "a sequence network is learnt from several people's recordings, in which activities follow each other",
                    remedy: "Leave --network out.")
            }
            return try SequenceTrainer(set, options).train(leavingOut: try leaveOut.numbers(), progress: progress)
        case .window:
            let trainer = try Trainer(set, options)
            return isPeople
                ? try trainer.train(leavingOut: try leaveOut.numbers(), progress: progress) : try trainer.trainOnOwn(progress: progress)
        }
    }

    private func options() -> TrainingOptions {
        var options = TrainingOptions()
        options.hidden = hidden
        options.input = input
        options.bits = bits
        options.augment = augment ?? true
        options.seed = seed
        options.epochs = epochs
        options.stride = stride
        return options
    }
}

/// What `gaitway train` makes.
enum NetworkKind: String, CaseIterable, ExpressibleByArgument {
    case window, sequence, worn
}

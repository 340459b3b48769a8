import CrowdModels
import ArgumentParser
import Charts
import Crowd
import CrowdLearning
import NeuralNetwork
import Sensing
import Support
import Training

struct CrowdSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "What a crowd of devices would learn, beside one machine with all samples.",
        discussion: """
            With --files: Crowd-ML's two digits or others in its format, dealt out to many devices; without noise, and with the paper's \
            noise for several batch sizes. Else labelled recordings of several people, each of whom is a device; some are left out in turn.
            """)

    @Option(help: ArgumentHelp("Directory of Crowd-ML's data files.", valueName: "dir"), completion: .directory)
    var files: String?
    @OptionGroup var place: RecordingsOptions
    @Option(
        help: ArgumentHelp("Devices that the files' samples are dealt to; fewer where a batch is more than each has.", valueName: "count"))
    var devices = 1000
    @Option(help: ArgumentHelp("LogReg, Hinge, Softmax or SoftmaxNN.", valueName: "loss"))
    var loss = "Softmax"
    @Option(help: ArgumentHelp("Units of each hidden layer of SoftmaxNN.", valueName: "units"))
    var hidden = 16
    @Option(help: ArgumentHelp("Epsilon of the noise; the paper's figure has its inverse, 0.1.", valueName: "epsilon"))
    var epsilon = 10.0
    @Option(help: ArgumentHelp("Batch sizes to show with noise.", valueName: "sizes"))
    var batches = NumberList([1, 5, 20])
    @Option(help: ArgumentHelp("Samples whose mean gradient each person sends.", valueName: "count"))
    var batch = 10
    @Option(
        help: ArgumentHelp("Times that each device sends each of its samples. (default: 1 of files, 20 of recordings)", valueName: "epochs")
    )
    var epochs: Int?
    @Option(help: ArgumentHelp("constant, simple, sqrt, adagrad or rmsProp.", valueName: "rule"))
    var descent = "adagrad"
    @Option(help: ArgumentHelp("c of the descent rule.", valueName: "rate"))
    var rate = 10.0
    @Option(help: ArgumentHelp("What of a window is learnt from: raw, features-17, features-80 or raw+features-17.", valueName: "input"))
    var input = NetworkInput.features80
    @Option(help: "Seed of every random choice; a simulation's noise protects nobody.")
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Write the curves as a picture.", valueName: "file"), completion: .file())
    var svg: String?
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard devices > 0, epochs ?? 1 > 0, batch > 0, epsilon > 0, rate > 0, epsilon.isFinite, rate.isFinite else {
            throw ValidationError("--devices, --epochs, --batch, --epsilon and --rate are positive")
        }
        guard input != .features else {
            throw ValidationError("--input takes what a window makes: raw, features-17, features-80 or raw+features-17")
        }
    }

    func run() throws {
        if let files { try digits(files) } else { try people() }
    }

    private func settings(epochs: Int, features: Int, classes: Int) throws(Fault) -> CrowdSimulation.Settings {
        guard let algorithm = Descent.Algorithm(rawValue: descent), let loss = CrowdModel.Loss(named: loss) else {
            throw Fault(.usage, "--descent takes constant, simple, sqrt, adagrad or rmsProp; --loss LogReg, Hinge, Softmax or SoftmaxNN")
        }
        var settings = CrowdSimulation.Settings()
        (settings.parameters.loss, settings.parameters.hidden, settings.parameters.algorithm, settings.parameters.rate) = (
            loss, hidden, algorithm, rate
        )
        (settings.parameters.features, settings.parameters.classes, settings.parameters.decay, settings.parameters.mostIterations) = (
            features, classes, 0, Int.max
        )
        (settings.epochs, settings.seed) = (self.epochs ?? epochs, seed)
        return settings
    }

    private func digits(_ directory: String) throws {
        let training = try CrowdFiles.read(directory, .training).normalised(), test = try CrowdFiles.read(directory, .test).normalised()
        let plain = try settings(epochs: 1, features: training.dimension, classes: max(2, (training.labels.max() ?? 0) + 1)),
            model = try plain.parameters.model()
        func deal(to count: Int) -> [CrowdData] {
            (0..<min(count, training.count)).map { training.rows(stride(from: $0, to: training.count, by: count)) }
        }
        let all = deal(to: devices), crowd = try CrowdSimulation(devices: all, test: test, plain)
        var shown = [("one machine", try crowd.central()), ("\(devices) devices", try crowd.crowd())]
        for batch in batches.numbers {
            var noisy = plain
            (noisy.parameters.batch, noisy.noise) = (batch, .laplace(scale: PrivacyPromise.laplaceScale(epsilon, model, batch: batch)))
            let count = max(1, min(devices, training.count / batch))
            shown.append(
                (
                    "epsilon \(AxisScale.text(epsilon)), batch \(batch), \(count) devices",
                    try CrowdSimulation(devices: count == all.count ? all : deal(to: count), test: test, noisy).crowd()
                ))
        }
        for (name, result) in shown { try tell(name, result) }
        if let svg { try Files.write(Array(picture(shown).utf8), to: svg) }
    }

    private func tell(_ name: String, _ result: CrowdSimulation.Result) throws {
        let error = Decimals.text(result.error * 100, places: 2), samples = result.curve.last?.samples ?? 0
        if format.json {
            let curve = result.curve.map { JSON.array([.integer($0.samples), .number(Decimals.text($0.error, places: 5))]) }
            try Console.print(
                JSON.object([
                    ("name", .string(name)), ("samples", .integer(samples)), ("error", .number(Decimals.text(result.error, places: 5))),
                    ("curve", .array(curve)),
                ]).text)
        } else {
            try Console.print("\(error) % wrong after \(samples) samples: \(name)")
        }
    }

    private func people() throws {
        let directory = place.directory(try place.settings())
        guard HAPTRecordings.areIn(directory) else {
            throw Fault(.usage, "\(directory) has no recordings of several people", remedy: "--recordings DIR, or --files DIR")
        }
        let set = try TrainingSet(directory: directory)
        let people = try set.subjects.map { (person) throws(Fault) in try CrowdData(set, subject: person, input) }
        var settings = try settings(epochs: 20, features: people[0].dimension, classes: set.labels.count)
        settings.parameters.batch = batch
        let result = try PeopleTrial(people, folds: min(7, people.count), settings).run()
        func share(_ value: Double) -> JSON { .number(Decimals.text(value, places: 5)) }
        if format.json {
            try Console.print(
                JSON.object([
                    ("people", .integer(people.count)), ("central", share(result.central)), ("crowd", share(result.crowd)),
                    ("alone", share(result.alone)),
                ]).text)
        } else {
            try Console.print(
                """
                \(Units.percent(result.central)) right on people left out: one machine with everybody's windows
                \(Units.percent(result.crowd)): \(people.count) people as devices, of whom a seventh is left out in turn
                \(Units.percent(result.alone)): each alone
                """)
        }
    }

    private func picture(_ shown: [(name: String, result: CrowdSimulation.Result)]) -> String {
        let colours = ["#222222", "#30638e", "#d1495b", "#edae49", "#00798c"]
        return LineChart.svg(
            shown.enumerated().map { index, one in
                .init(
                    name: one.name, colour: colours[index % colours.count],
                    points: one.result.curve.map { (Double($0.samples), $0.error * 100) })
            },
            horizontal: "wrong decisions by samples learnt from", unit: "%"
        ).text
    }
}

/// Whole numbers as 1,5,20.
struct NumberList: ExpressibleByArgument, CustomStringConvertible {
    let numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = numbers }

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard !parts.isEmpty, parts.allSatisfy({ ($0 ?? 0) > 0 }) else { return nil }
        numbers = parts.compactMap(\.self)
    }

    var description: String { numbers.map(String.init).joined(separator: ",") }
}

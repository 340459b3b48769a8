import ArgumentParser
import Charts
import Crowd
import CrowdLearning
import Models
import Sensing
import Support
import Training

struct CrowdSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "What a crowd of devices would learn, beside one machine with all samples.",
        discussion: """
            With --files: Crowd-ML's two digits or others in its format, dealt out to many devices; without noise and with the noise of the \
            paper for several batch sizes. Else labelled recordings of several people, each of whom is a device: errors on people left out.
            """)

    @Option(help: ArgumentHelp("Directory of Crowd-ML's data files.", valueName: "dir"))
    var files: String?
    @OptionGroup var place: RecordingsOptions
    @Option(help: ArgumentHelp("Devices that the files' samples are dealt to.", valueName: "count"))
    var devices = 1000
    @Option(help: ArgumentHelp("LogReg, Hinge, Softmax or SoftmaxNN.", valueName: "loss"))
    var loss = "Softmax"
    @Option(help: ArgumentHelp("Units of each hidden layer of SoftmaxNN.", valueName: "units"))
    var hidden = 16
    @Option(help: ArgumentHelp("Epsilon of the noise; the paper's figure has its inverse, 0.1.", valueName: "epsilon"))
    var epsilon = 10.0
    @Option(help: ArgumentHelp("Batch sizes to show with noise, as 1,5,20; of recordings the first is used.", valueName: "sizes"))
    var batches = NumberList([1, 5, 20])
    @Option(help: ArgumentHelp("Times that each device sends each of its samples.", valueName: "epochs"))
    var epochs = 1
    @Option(help: ArgumentHelp("constant, simple, sqrt, adagrad or rmsProp.", valueName: "rule"))
    var descent = "sqrt"
    @Option(help: ArgumentHelp("c of the descent rule.", valueName: "rate"))
    var rate: Double
    @Option(help: ArgumentHelp("What of a window is learnt from: raw, features-17, features-80 or raw+features-17.", valueName: "input"))
    var input = NetworkInput.rich
    @Option(help: "Seed of every random choice; a simulation's noise protects nobody.")
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Write the curves as a picture.", valueName: "file"))
    var svg: String?
    @OptionGroup var format: OutputOptions

    func run() throws {
        guard let algorithm = Descent.Algorithm(rawValue: descent), let loss = CrowdModel.Loss(named: loss) else { throw Fault(.usage, "--descent takes constant, simple, sqrt, adagrad or rmsProp; --loss LogReg, Hinge, Softmax or SoftmaxNN") }
        guard devices > 0, epochs > 0, epsilon > 0, rate > 0 else { throw Fault(.usage, "--devices, --epochs, --epsilon and --rate are positive") }
        var settings = CrowdSimulation.Settings()
        (settings.parameters.loss, settings.parameters.hidden, settings.parameters.algorithm, settings.parameters.rate) = (loss, hidden, algorithm, rate)
        (settings.parameters.decay, settings.parameters.mostIterations, settings.epochs, settings.seed) = (0, Int.max >> 12, epochs, seed)
        if let files { try digits(files, settings) } else { try people(settings) }
    }

    private func digits(_ directory: String, _ start: CrowdSimulation.Settings) throws {
        let training = try CrowdFiles.read(directory, .training).normalised(), test = try CrowdFiles.read(directory, .test).normalised()
        var settings = start
        (settings.parameters.features, settings.parameters.classes) = (training.dimension, max(2, (training.labels.max() ?? 0) + 1))
        let model = try settings.parameters.model()
        let crowd = (0..<devices).map { device in training.rows(stride(from: device, to: training.count, by: devices)) }.filter { $0.count > 0 }
        var shown: [(name: String, result: CrowdSimulation.Result)] = []
        let plain = try CrowdSimulation(devices: crowd, test: test, settings)
        shown.append(("one machine", try plain.central()))
        shown.append(("\(crowd.count) devices", try plain.crowd()))
        for batch in batches.numbers {
            var noisy = settings
            (noisy.parameters.batch, noisy.noise) = (batch, .laplace(scale: PrivacyPromise.laplaceScale(epsilon, model, batch: batch)))
            shown.append(("epsilon \(AxisScale.text(epsilon)), batch \(batch)", try CrowdSimulation(devices: crowd, test: test, noisy).crowd()))
        }
        for (name, result) in shown { try Console.print("\(name): \(Decimals.text(result.error * 100, places: 2)) % wrong after \(result.curve.last?.samples ?? 0) samples") }
        if let svg { try Files.write(Array(Self.picture(shown).utf8), to: svg) }
    }

    private func people(_ start: CrowdSimulation.Settings) throws {
        let directory = place.directory(try place.settings())
        guard HAPTRecordings.areIn(directory) else { throw Fault(.usage, "\(directory) has no recordings of several people", remedy: "--recordings DIR, or --files DIR") }
        let set = try TrainingSet(directory: directory), people = set.subjects
        var data: [Int: CrowdData] = [:]
        for person in people { data[person] = try CrowdData(set, subject: person, input) }
        var settings = start
        (settings.parameters.features, settings.parameters.classes) = (data[people[0]]?.dimension ?? 1, set.labels.count)
        settings.parameters.batch = batches.numbers.first ?? 1
        var central = 0.0, crowd = 0.0, alone = 0.0
        let folds = 7
        for fold in 0..<folds {
            let out = people.enumerated().filter { $0.offset % folds == fold }.compactMap { data[$0.element] }
            let devices = people.enumerated().filter { $0.offset % folds != fold }.compactMap { data[$0.element] }
            let test = try CrowdData(features: out.flatMap(\.features), dimension: out[0].dimension, labels: out.flatMap(\.labels))
            let simulation = try CrowdSimulation(devices: devices, test: test, settings)
            central += try simulation.central().error
            crowd += try simulation.crowd().error
            for device in devices { alone += try CrowdSimulation(devices: [device], test: test, settings).central().error / Double(devices.count) }
        }
        for (name, sum) in [("one machine", central), ("crowd", crowd), ("each alone", alone)] {
            try Console.print("\(name): \(Decimals.text((1 - sum / Double(folds)) * 100, places: 2)) % right on people left out")
        }
    }

    private static func picture(_ shown: [(name: String, result: CrowdSimulation.Result)]) -> String {
        let colours = ["#222222", "#30638e", "#d1495b", "#edae49", "#00798c"]
        return LineChart.svg(
            shown.enumerated().map { index, one in
                .init(name: one.name, colour: colours[index % colours.count], points: one.result.curve.map { (Double($0.samples), $0.error * 100) })
            }, horizontal: "samples", unit: "% wrong").text
    }
}

/// Whole numbers as 1,5,20.
struct NumberList: ExpressibleByArgument, CustomStringConvertible {
    let numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = numbers }

    init?(argument: String) {
        let parts = argument.split(separator: ",").map { Int($0.trimmed) }
        guard !parts.isEmpty, parts.allSatisfy({ ($0 ?? 0) > 0 }) else { return nil }
        numbers = parts.compactMap(\.self)
    }

    var description: String { numbers.map(String.init).joined(separator: ",") }
}

import ArgumentParser
import CrowdLearning
import CrowdServer
import HubStore
import NeuralNetwork
import Support

struct HubCrowd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd", abstract: "Learning together: devices send gradients, and this hub moves the weights.",
        subcommands: [Start.self, Status.self, Export.self, Stop.self, Accounts.self])

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a crowd in place of the one that there is.",
            discussion: "A server that is running takes it up within a second. Options are named after Crowd-ML's configuration.")

        @OptionGroup var store: StoreOptions
        @Option(help: ArgumentHelp("D, numbers of a sample, the constant included.", valueName: "count")) var features: Int
        @Option(help: ArgumentHelp("K.", valueName: "count")) var classes: Int
        @Option(help: ArgumentHelp("The classes' names, as WALKING,SITTING.", valueName: "names")) var labels = ""
        @Option(help: ArgumentHelp("LogReg, Hinge, Softmax or SoftmaxNN.", valueName: "loss")) var loss = "Softmax"
        @Option(help: ArgumentHelp("Units of each hidden layer of SoftmaxNN.", valueName: "units")) var hidden = 75
        @Option(help: ArgumentHelp("lambda of the weight decay.", valueName: "lambda")) var decay = 1e-6
        @Option(help: ArgumentHelp("Samples whose mean gradient a device sends.", valueName: "count")) var clientBatch = 1
        @Option(help: ArgumentHelp("Gradients that make one step.", valueName: "count")) var gradientBatch = 1
        @Option(help: ArgumentHelp("Steps, or devices' weights, that make one iteration.", valueName: "count")) var weightBatch = 1
        @Option(help: ArgumentHelp("Steps that a device takes by itself; it sends weights then. 0 for gradients.", valueName: "count"))
        var localUpdates = 0
        @Option(help: ArgumentHelp("constant, simple, sqrt, adagrad or rmsProp.", valueName: "rule")) var descent = "adagrad"
        @Option(help: ArgumentHelp("c of the descent rule.", valueName: "rate")) var rate = 0.5
        @Option(help: ArgumentHelp("Weights stay within this distance of zero.", valueName: "radius")) var radius: Double?
        @Option(help: ArgumentHelp("N, samples of a device's files: clients of 2017 pick among as many.", valueName: "count")) var samples =
            0
        @Option(help: ArgumentHelp("The file of features that clients of 2017 read.", valueName: "name")) var featureSource = ""
        @Option(help: ArgumentHelp("The file of labels that they read.", valueName: "name")) var labelSource = ""
        @Option(help: ArgumentHelp("NoNoise, Laplace or Gaussian.", valueName: "noise")) var noise = "NoNoise"
        @Option(help: ArgumentHelp("Of Laplace: 4 / (client batch x epsilon) for Softmax.", valueName: "scale")) var noiseScale = 1.0
        @Option(help: ArgumentHelp("Iterations after which it is over.", valueName: "count")) var iterations = 10_000
        @Option(help: ArgumentHelp("Crowd-ML's test files, to measure on.", valueName: "dir"), completion: .directory) var test: String?
        @Flag(help: "Publish weights as servers of 2017 did: [[weights], [iteration, -1]].") var nested = false
        @Flag(help: "Never acknowledge what is stale, as in 2017.") var ignoresStale = false
        @Flag(help: "Take gradients of any length, as Crowd-ML's server does: a single device can spoil what all have learnt.")
        var unclipped = false
        @Flag(help: "Let anybody make an account.") var open = false

        func run() async throws {
            guard let kind = CrowdModel.Loss(named: loss), let algorithm = Descent.Algorithm(rawValue: descent) else {
                throw Fault(
                    .usage, "--loss takes LogReg, Hinge, Softmax or SoftmaxNN; --descent constant, simple, sqrt, adagrad or rmsProp")
            }
            _ = try Noise(named: noise, scale: noiseScale)
            guard clientBatch > 0, localUpdates >= 0, rate > 0, decay >= 0, iterations > 0, radius ?? 1 > 0 else {
                throw Fault(.usage, "batches, --rate, --radius and --iterations are positive, --decay and --local-updates not negative")
            }
            var settings = CrowdSettings()
            (settings.gradientBatch, settings.weightBatch, settings.radius) = (gradientBatch, weightBatch, radius)
            (settings.isNested, settings.ignoresStale, settings.isOpen, settings.clips) = (nested, ignoresStale, open, !unclipped)
            settings.labels = labels.split(separator: ",").map { String($0) }
            guard settings.labels.isEmpty || settings.labels.count == classes else {
                throw Fault(.usage, "\(settings.labels.count) labels are not \(classes) classes")
            }
            var parameters = CrowdParameters()
            (parameters.features, parameters.classes, parameters.loss, parameters.hidden, parameters.decay) = (
                features, classes, kind, kind == .network ? hidden : 0, decay
            )
            (parameters.batch, parameters.localUpdates, parameters.algorithm, parameters.rate) = (
                clientBatch, localUpdates, algorithm, rate
            )
            (parameters.noise, parameters.noiseScale, parameters.mostIterations) = (noise, noiseScale, iterations)
            guard (0...1_000_000_000).contains(samples) else { throw Fault(.usage, "--samples is 0 to 1000000000") }
            (parameters.samples, parameters.featureSource, parameters.labelSource) = (samples, featureSource, labelSource)
            let model = try parameters.model(),
                data = try test.map { (directory) throws(Fault) in try CrowdFiles.read(directory, .test).normalised() }
            try data?.require(model)
            settings.parameters = parameters
            try await store.make().startCrowd { [settings] number in
                var settings = settings
                settings.parameters.iteration = number
                return SavedCrowd(
                    number: number, settings: settings.text, state: try settings.server().state, test: data?.bytes,
                    started: StoreOptions.now)
            }
            print("\(loss) of \(model.length) weights; devices learn at http://HUB/crowd")
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "How far the crowd is.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            let store = try await store.open(), (settings, server, started) = try await HubCrowd.present(store)
            let errors = try await store.crowdErrors(), users = try await store.crowdUsers()
            var table = OutputTable(names: ["loss", "weights", "iteration", "taken", "participants", "error", "started"])
            let error = errors.last.map { Decimals.text($0.error * 100, places: 2) + " %" } ?? ""
            table.rows.append([
                settings.parameters.loss.rawValue, "\(server.model.length)", "\(server.iteration)", "\(server.taken)", "\(users.count)",
                error, OutputTable.time(started),
            ])
            table.print(json: json)
        }
    }

    // The crowd as it lies in the file.
    static func present(_ store: HubStore) async throws -> (CrowdSettings, CrowdOptimiser, started: Double) {
        guard let saved = try await store.crowd() else {
            throw Fault(.noInput, "no crowd has been started", remedy: "gaitway-hub crowd start")
        }
        let settings = try CrowdSettings(text: saved.settings)
        return (settings, try settings.server(from: saved.state), saved.started)
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End the crowd, and forget its weights.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            guard try await store.open().stopCrowd() else { throw Fault(.noInput, "no crowd has been started") }
        }
    }

    struct Accounts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accounts of people in the crowd.", subcommands: [Add.self, List.self, Remove.self])

        struct Add: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Make an account; its password is the first line of standard input.")

            @OptionGroup var store: StoreOptions
            @Argument var email: String

            func run() async throws {
                guard let password = readLine() else { throw Fault(.usage, "there is no password on standard input") }
                guard let made = try await store.open().makeAccount(email, password: password, org: store.org, now: StoreOptions.now) else {
                    throw Fault(.usage, "there is an account of \(email)")
                }
                print(made.account ?? "")
            }
        }

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "The accounts that there are.")

            @OptionGroup var store: StoreOptions
            @Flag(help: "One JSON object a line.") var json = false

            func run() async throws {
                var table = OutputTable(names: ["uid", "email", "created"])
                for account in try await store.open().accounts(org: store.org) {
                    table.rows.append([account.uid, account.email, OutputTable.time(account.created)])
                }
                table.print(json: json)
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Remove an account; what it signed in with ends.")

            @OptionGroup var store: StoreOptions
            @Argument var email: String

            func run() async throws {
                guard try await store.open().removeAccount(email, org: store.org) else {
                    throw Fault(.noInput, "there is no account of \(email)")
                }
            }
        }
    }
}

import Settings
import ArgumentParser
import Crowd
import CrowdLearning
import CrowdModels
import Fleet
import Logging
import Support

/// Where the crowd is, who takes part, and with which samples.
struct CrowdOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The crowd's database: https://HUB/crowd, or https://NAME.firebaseio.com. (default: at the hub where this board is registered)",
            valueName: "url"))
    var database: String?
    @Option(help: ArgumentHelp("Sign in with this e-mail address. (default: with the board's own registration)", valueName: "address"))
    var email: String?
    @Option(help: ArgumentHelp("A file with the password.", valueName: "file"), completion: .file())
    var passwordFile: String?
    @Option(help: ArgumentHelp("The Firebase project's Web API key; a hub needs none.", valueName: "key"))
    var key: String?
    @Flag(help: "Make the account where there is none, as Crowd-ML's iOS client does.")
    var signUp = false
    @Flag(help: "Let tokens go to another machine without TLS.")
    var allowHTTP = false
    @Option(
        help: ArgumentHelp("Directory of Crowd-ML's data files. (default: labelled recordings)", valueName: "dir"), completion: .directory)
    var files: String?
    @OptionGroup var place: RecordingsOptions
    @Option(help: ArgumentHelp("Of several people's recordings, the one who takes part.", valueName: "number"))
    var subject: Int?
    @Flag(help: "Leave the files' samples as they are; no privacy can be promised then.")
    var raw = false
    @Option(help: ArgumentHelp("Whose reading of lambda and noiseScale counts: paper, android, python or ios.", valueName: "client"))
    var convention = ClientConvention.paper
    @Option(help: ArgumentHelp("Give away no more than this. (default: the configuration's)", valueName: "epsilon"))
    var epsilonLimit: Double?
    @Option(help: ArgumentHelp("Give up when nothing has counted for so long.", valueName: "seconds"))
    var timeout = 60.0
    @OptionGroup var format: OutputOptions

    func validate() throws {
        guard timeout > 0, timeout < 1e7, epsilonLimit ?? 1 > 0 else { throw ValidationError("--timeout and --epsilon-limit are positive") }
        guard (email == nil) == (passwordFile == nil) else { throw ValidationError("--email and --password-file belong together") }
        guard email == nil || database != nil else { throw ValidationError("--email needs --database") }
    }

    func client() throws -> CrowdClient {
        ConsoleLog.start(level: "notice")
        // What the board's owner set holds here, too.
        let floor = PrivacyFloor(try place.settings().crowd, limit: epsilonLimit)
        var options = CrowdClient.Options(budget: PrivacyBudget.path, floor: floor)
        (options.timeout, options.convention) = (timeout, convention)
        try Files.makeDirectory(Places.state)
        let stop = Interruption.watch()
        return CrowdClient(try reach(stop), options, cancellation: stop, log: Logger(label: "gaitway"), samples: try samples())
    }

    private func reach(_ stop: Stop) throws(Fault) -> CrowdDatabase {
        guard let email, let passwordFile, let database else {
            return try BoardCredentials.database(try FleetClient(registeredIn: nil), database, allowsHTTP: allowHTTP, stop: stop)
        }
        let text = String(decoding: try Files.read(passwordFile, limit: 1 << 12), as: UTF8.self),
            password = String(text.prefix { !$0.isNewline })
        guard !password.isEmpty else { throw Fault(.badData, "\(passwordFile) has no password") }
        // Google signs in for its own databases, a hub for its.
        let isGoogles = database.contains("firebaseio.com") || database.contains("firebasedatabase.app")
        guard !isGoogles || key != nil else { throw Fault(.usage, "\(database) is Firebase's", remedy: "Add the project's --key.") }
        let signIn = try EmailSignIn(
            email: email, password: password, hub: isGoogles ? nil : database, key: key ?? "gaitway", makesAccount: signUp,
            allowsHTTP: allowHTTP)
        return try CrowdDatabase(database, signIn, allowsHTTP: allowHTTP, cancellation: stop)
    }

    private func samples() throws -> CrowdSamples {
        if let files {
            let raw = raw
            return { _ throws(Fault) in
                let data = try CrowdFiles.read(files, .training)
                return raw ? data : data.normalised()
            }
        }
        return OwnSamples.from(place.directory(try place.settings()), subject: subject)
    }
}

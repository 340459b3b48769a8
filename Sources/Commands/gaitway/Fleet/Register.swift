import ArgumentParser
import Fleet
import FoundationEssentials
import Runtime
import Support

struct Register: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Make this board known to a hub, which it then tells how it does.",
        discussion: """
            `gaitway run` sends heartbeats from its next start on. Without a token the board is registered again with those that it has. \
            Any server with EdgeML's device API will do.
            """)

    @Option(help: ArgumentHelp("The hub: https://HOST.", valueName: "url"))
    var hub: String
    @Option(help: ArgumentHelp("A bootstrap token, as the hub gives it for one board.", valueName: "token"))
    var token: String?
    @Option(
        help: ArgumentHelp(
            "A file with the token, which other users of this machine cannot see as they can see arguments.", valueName: "file"),
        completion: .file())
    var tokenFile: String?
    @Option(help: ArgumentHelp("The organisation.", valueName: "name"))
    var org = "default"
    @Option(help: ArgumentHelp("What this board is to be called. (default: made of this machine's ID)", valueName: "name"))
    var name: String?
    @Flag(help: "Let tokens and heartbeats go to another machine without TLS.")
    var allowHTTP = false
    @OptionGroup var format: OutputOptions

    func validate() throws {
        if let name, name.isEmpty || name.utf8.count > 200 { throw ValidationError("--name has 1 to 200 characters") }
        guard token == nil || tokenFile == nil else { throw ValidationError("give either --token or --token-file") }
    }

    func run() throws {
        let made = try Self.register(at: hub, org: org, name: name, token: try bootstrapToken(), allowsHTTP: allowHTTP)
        try Console.print(
            format.json
                ? JSON.object([
                    ("id", .string(made.deviceId)), ("device_identifier", .string(made.deviceIdentifier)), ("hub", .string(made.hub)),
                ]).text
                : "\(made.deviceIdentifier) is \(made.deviceId) at \(made.hub)")
        if ControlClient.isAnswered { Console.note("gaitway: the `gaitway run` that is under way knows of it from its next start on") }
    }

    /// Registers this board; one that is registered again keeps its name.
    ///
    /// - Throws: `.usage` for what is no address; those of ``FleetClient/register(bootstrapToken:)``.
    static func register(
        at hub: String, org: String = "default", name: String? = nil, token: String?, allowsHTTP: Bool = false
    ) throws(Fault) -> Registration {
        guard let url = URL(string: hub), hub.contains("://") else {
            throw Fault(.usage, "\"\(hub)\" is no address", remedy: "Write it as https://host.")
        }
        // Root writes beside what the service's user may have put there.
        return try OwnersRights.run(in: Places.state) { () throws(Fault) in
            let identifier = if let name { name } else { try Registration.read()?.deviceIdentifier }
            let client = try FleetClient(hub: url, orgId: org, identifier: identifier, allowsHTTP: allowsHTTP)
            return try Awaited.value { () async throws(Fault) in try await client.register(bootstrapToken: token) }
        }
    }

    private func bootstrapToken() throws(Fault) -> String? {
        guard let tokenFile else { return token }
        let text = String(decoding: try Files.read(tokenFile, limit: 1 << 16), as: UTF8.self).filter { !$0.isWhitespace }
        guard !text.isEmpty else { throw Fault(.badData, "\(tokenFile) has no token") }
        return text
    }
}

struct Unregister: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister", abstract: "Give this board's tokens back, and send no more heartbeats.")

    @Flag(help: "Where the hub is gone: forget it without telling it.")
    var forget = false
    @Flag(help: "Have the hub remove all that it keeps of this board: heartbeats, events, weights, its name.")
    var erase = false

    func validate() throws {
        guard !forget || !erase else { throw ValidationError("a hub that is gone removes nothing: give either --forget or --erase") }
    }

    func run() throws {
        guard let client = try FleetClient(registeredIn: nil) else { throw Fault(.noInput, "this board is not registered") }
        if erase {
            try Awaited.value { () async throws(Fault) in try await client.erase() }
            return try Console.print("\(client.hub) keeps nothing of this board any more")
        }
        if forget {
            try client.forget()
        } else {
            do throws(Fault) {
                try Awaited.value { () async throws(Fault) in try await client.leave() }
            } catch {
                throw Fault(error.code, error.message, remedy: "Where the hub is gone for good: gaitway unregister --forget")
            }
        }
        try Console.print("\(forget ? "forgot" : "left") \(client.hub)")
    }
}

import ArgumentParser
import Glibc
import Hub
import HubStore
import Logging
import ObjectStores
import Serving
import Support

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            It listens at this machine alone unless --host says otherwise; beyond it, give it a certificate or put it behind a server \
            that has one. \
            Its page is at the address that it prints; log in there with a token of `gaitway-hub tokens create`.
            """)

    @OptionGroup var store: StoreOptions
    @Option(help: "The address to listen at.")
    var host = HubOptions().listening.host
    @Option(help: "0 for any that is free.")
    var port = HubOptions().listening.port
    @Option(help: ArgumentHelp("The certificate's chain, PEM.", valueName: "file"), completion: .file())
    var certificate: String?
    @Option(help: ArgumentHelp("Its private key, PEM.", valueName: "file"), completion: .file())
    var key: String?
    @Flag(name: .customLong("allow-http"), help: "Listen beyond this machine without a certificate: tokens can be read on their way then.")
    var allowHTTP = false
    @Option(
        help: ArgumentHelp(
            "The server in front of this one: limits go by the address that it names in X-Forwarded-For.", valueName: "address"))
    var trustedProxy: String?
    @Flag(help: "Register boards that prove a key of their own alone; EdgeML's other clients have none.")
    var requireKeys = false
    @Flag(help: "Ask a person to approve each new board, on the page or with gaitway-hub devices approve.")
    var approve = false
    @Option(
        help: ArgumentHelp(
            """
            Send what begins and ceases to need attention to a webhook (JSON; Slack, Mattermost, Home Assistant): the file's first line is \
            its address.
            """, valueName: "file"), completion: .file())
    var alertWebhookFile: String?
    @Option(
        help: ArgumentHelp(
            "Send the same over MQTT: the file's first line is mqtts://USER:PASSWORD@HOST:PORT/PREFIX.", valueName: "file"),
        completion: .file())
    var alertMqttFile: String?
    @Option(
        help: ArgumentHelp("Send the same as mail, with the system's sendmail (in the service's sandbox: msmtp-mta).", valueName: "address")
    )
    var alertMail: String?
    @Option(help: ArgumentHelp("The program for that.", valueName: "file"), completion: .file())
    var sendmail = "/usr/sbin/sendmail"
    @Option(
        help: ArgumentHelp(
            "Of what, with commas: \(AttentionReason.allCases.map(\.rawValue).joined(separator: ", ")). (default: fall,offline,refused)",
            valueName: "reasons"))
    var alertOn: String?
    @Option(
        help: ArgumentHelp(
            """
            Keep models' files there instead of in the database: s3://BUCKET/PREFIX or a directory, the same for all servers. \
            Nothing is removed there.
            """, valueName: "place"), completion: .directory)
    var models: String?
    @OptionGroup var access: BucketOptions
    @Option(help: ArgumentHelp("Between a board's heartbeats.", valueName: "seconds"))
    var heartbeat = HubOptions().heartbeatInterval
    @Option(help: ArgumentHelp("Requests a minute of one token; 0 for any number.", valueName: "number"))
    var rate = HubOptions().requestsPerMinute
    @Option(help: ArgumentHelp("Requests a minute of one address without a token; 0 for any number.", valueName: "number"))
    var strangersRate = HubOptions().strangersPerMinute
    @Option(help: "The least important messages to show: debug, info, notice, warning, error.")
    var logLevel = "notice"

    func validate() throws {
        guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key belong together") }
        guard (1...86_400).contains(heartbeat) else { throw ValidationError("--heartbeat is 1 to 86400 seconds") }
        guard rate >= 0, strangersRate >= 0, (0...65_535).contains(port) else {
            throw ValidationError("--rate, --strangers-rate and --port are no negative numbers; a port is at most 65535")
        }
        guard alertOn == nil || alertWebhookFile != nil || alertMqttFile != nil || alertMail != nil else {
            throw ValidationError("--alert-on needs --alert-webhook-file, --alert-mqtt-file or --alert-mail")
        }
        _ = try reasons()
        guard Logger.Level(rawValue: logLevel) != nil else { throw ValidationError("--log-level is debug, info, notice, warning or error") }
    }

    private func reasons() throws -> Set<AttentionReason> {
        guard let alertOn else { return AlertOptions().reasons }
        guard alertOn.contains(where: { $0 != "," }) else { throw ValidationError("--alert-on names no reason") }
        return Set(
            try alertOn.split(separator: ",").map { name in
                guard let reason = AttentionReason(rawValue: String(name)) else {
                    throw ValidationError("\"\(name)\" is none of \(AttentionReason.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                return reason
            })
    }

    private func modelFolder(_ place: String) throws(Fault) -> ModelFolder {
        let remote: any RemoteFiles =
            if BucketFolder.isOne(place) { try BucketFolder(place, try access.services()) } else { try DirectoryFolder(place) }
        return try ModelFolder(remote, directory: Places.state + "/models.part")
    }

    func run() async throws {
        // Who reads no more ends no server.
        signal(SIGPIPE, SIG_IGN)
        var options = HubOptions()
        (options.listening.host, options.listening.port) = (host, port)
        (options.listening.certificate, options.listening.key) = (certificate, key)
        (options.heartbeatInterval, options.requestsPerMinute, options.strangersPerMinute) = (heartbeat, rate, strangersRate)
        (options.requiresKeys, options.asksForApproval, options.trustedProxy) = (requireKeys, approve, trustedProxy)
        if let models { options.models = try modelFolder(models) }
        options.alerts.reasons = try reasons()
        if let alertWebhookFile { options.alerts.channels.append(try AlertHook(file: alertWebhookFile)) }
        if let alertMqttFile { options.alerts.channels.append(try AlertBroker(file: alertMqttFile)) }
        if let alertMail { options.alerts.channels.append(try AlertMail(to: alertMail, program: sendmail)) }
        let level = Logger.Level(rawValue: logLevel) ?? .notice
        let log = Logger(label: "gaitway-hub") { _ in ServerLog("gaitway-hub", level: level) }
        let store = try await store.make(), address = options.listening.address
        if !options.listening.isLoopback && certificate == nil {
            guard allowHTTP else {
                throw Fault(
                    .configuration, "at \(host) tokens would go over the network without TLS",
                    remedy: "Give --certificate and --key, put a server in front that has them, or say --allow-http.")
            }
            log.warning("tokens go over the network without TLS")
        }
        // `gaitway-hub restore` puts no other file in its place meanwhile.
        let serving = store.isShared ? nil : try FileLock(HubStore.servingLock(store.path))
        guard store.isShared || serving != nil else {
            throw Fault(.temporary, "another gaitway-hub serves \(store.path)", remedy: "One serves a file; give another --data.")
        }
        defer { serving?.release() }
        try options.models?.tidy()
        try await HubServer(store, options, log: log).run { port in
            StandardError.write("gaitway-hub: \(address):\(port), data in \(store.path)")
        }
    }
}

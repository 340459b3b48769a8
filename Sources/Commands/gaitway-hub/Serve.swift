import ArgumentParser
import Hub
import HubStore
import Logging
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
    var host = HubOptions().host
    @Option(help: "0 for any that is free.")
    var port = HubOptions().port
    @Option(help: ArgumentHelp("The certificate's chain, PEM.", valueName: "file"))
    var certificate: String?
    @Option(help: ArgumentHelp("Its private key, PEM.", valueName: "file"))
    var key: String?
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
        guard Logger.Level(rawValue: logLevel) != nil else { throw ValidationError("--log-level is debug, info, notice, warning or error") }
    }

    func run() async throws {
        var options = HubOptions()
        (options.host, options.port, options.certificate, options.key) = (host, port, certificate, key)
        (options.heartbeatInterval, options.requestsPerMinute, options.strangersPerMinute) = (heartbeat, rate, strangersRate)
        let level = Logger.Level(rawValue: logLevel) ?? .notice
        let log = Logger(label: "gaitway-hub") { _ in HubLog(logLevel: level) }
        let store = try store.open(), scheme = certificate == nil ? "http" : "https", host = host
        if host != "127.0.0.1" && host != "::1" && host != "localhost" && certificate == nil {
            log.warning("tokens go over the network without TLS: give --certificate and --key, or put a server in front that has them")
        }
        try await HubServer(store, options, log: log).run { port in
            StandardError.write("gaitway-hub: \(scheme)://\(host):\(port), data in \(store.path)")
        }
    }
}

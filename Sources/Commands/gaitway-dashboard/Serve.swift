import ArgumentParser
import Dashboard
import Glibc
import Logging
import Serving
import Support

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the page.",
        discussion: """
            It listens at this machine alone unless --host says otherwise; beyond it, it takes a certificate. Whoever opens it needs its \
            token: `gaitway-dashboard address` prints both in one line.
            """)

    @Option(help: "The address to listen at.")
    var host = ListeningPort(port: 0).host
    @Option(help: "0 for any that is free.")
    var port = 8720
    @Option(help: ArgumentHelp("The certificate's chain, PEM.", valueName: "file"), completion: .file())
    var certificate: String?
    @Option(help: ArgumentHelp("Its private key, PEM.", valueName: "file"), completion: .file())
    var key: String?
    @Option(help: "The least important messages to show: debug, info, notice, warning, error.")
    var logLevel = "notice"

    func validate() throws {
        guard (certificate == nil) == (key == nil) else { throw ValidationError("--certificate and --key belong together") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
        guard Logger.Level(rawValue: logLevel) != nil else { throw ValidationError("--log-level is debug, info, notice, warning or error") }
    }

    func run() async throws {
        var options = DashboardOptions(token: try PageToken.load(), program: Programs.beside("gaitway"))
        (options.listening.host, options.listening.port) = (host, port)
        (options.listening.certificate, options.listening.key) = (certificate, key)
        guard options.listening.isLoopback || certificate != nil else {
            throw Fault(
                .configuration, "at \(host) the page's token would go over the network without TLS",
                remedy: "Give --certificate and --key, or come through ssh -L 8720:127.0.0.1:8720.")
        }
        let level = Logger.Level(rawValue: logLevel) ?? .notice, address = options.listening.address, token = options.token
        try await DashboardServer(options, log: Logger(label: "gaitway-dashboard") { _ in ServerLog("gaitway-dashboard", level: level) })
            .run { port in
                // A journal is read by others.
                let shown = isatty(STDERR_FILENO) == 1 ? "\(address):\(port)/#token=\(token)" : "\(address):\(port)"
                StandardError.write("gaitway-dashboard: \(shown)")
            }
    }
}

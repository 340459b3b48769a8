import ArgumentParser
import Dashboard
import Serving
import Support

struct Address: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the page's address with its token, to open in a browser.",
        discussion: "Who has the token sees the wearer's data and may change what the board does.")

    @Option(help: "Of the page, where it is not the usual one.")
    var port = 8720
    @Option(help: "The name by which a browser reaches it.")
    var host = ListeningPort(port: 0).host
    @Flag(help: "It has a certificate.")
    var tls = false

    func run() throws { print("\(tls ? "https" : "http")://\(host):\(port)/#token=\(try PageToken.load(making: false))") }
}

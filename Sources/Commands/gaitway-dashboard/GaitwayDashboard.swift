import ArgumentParser
import Glibc
import Support

@main struct GaitwayDashboard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaitway-dashboard", abstract: "The board's page: what it recognises, the wearer's day, labels, recordings, models.",
        discussion: """
            A program of its own beside `gaitway run`: it shows what that sends to its control socket, and its buttons are gaitway's \
            commands. It runs as the same user and finds the same state.
            """,
        version: gaitwayVersion, subcommands: [Serve.self, Address.self], defaultSubcommand: Serve.self)

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let fault as Fault {
            StandardError.write("gaitway-dashboard: \(fault)")
            Glibc.exit(fault.code.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

import ArgumentParser
import Foundation
import Support

@main struct GaitwayHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaitway-hub", abstract: "A fleet's server: boards register, beat, and get their models from it.",
        discussion: """
            All of it lies in one SQLite file, or in PostgreSQL, where several servers share it. The other verbs work on the same, beside \
            a running server.
            """,
        version: gaitwayVersion,
        subcommands: [
            Serve.self, Tokens.self, Devices.self, Groups.self, HubModels.self, Rollouts.self, HubCrowd.self, Foresight.self, Audit.self,
            Backup.self,
            Restore.self, Migrate.self,
        ],
        defaultSubcommand: Serve.self)

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch let fault as Fault {
            StandardError.write("gaitway-hub: \(fault)")
            Foundation.exit(fault.code.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

import ArgumentParser
import HubStore
import Support

extension Role: ExpressibleByArgument {}

struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tokens: to register boards, and people's own.", subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a token. It is shown this once.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "For a board: `gaitway register --token`. Without this and --target it is a person's, for the page and the API.")
        var bootstrap = false
        @Flag(help: "For a board that SWUpdate or RAUC keeps up to date, whose name is --name: hawkBit's target token.")
        var target = false
        @Option(help: ArgumentHelp("What to call it.", valueName: "name"))
        var name = ""
        @Option(help: ArgumentHelp("How many boards may use a bootstrap token.", valueName: "number"))
        var boards = 1
        @Option(help: ArgumentHelp("Until it ends. (default: 24 for a bootstrap token, never for others)", valueName: "hours"))
        var hours: Double?

        @Option(
            help: ArgumentHelp(
                """
                What the boards' tokens may be for, with commas: devices:read, devices:write (all that a board does), models:read, \
                telemetry:write, training:read, training:write. A board registers with devices:write alone. \
                (default: whatever a board asks for)
                """, valueName: "scopes"))
        var scopes = ""

        @Option(help: ArgumentHelp("What a person may do: viewer (look), operator (change), owner (delete and revoke).", valueName: "role"))
        var role = Role.owner

        func validate() throws {
            guard (1...1_000_000).contains(boards) else { throw ValidationError("--boards is 1 to 1000000") }
            guard !(target && bootstrap) else { throw ValidationError("--target and --bootstrap are two kinds of tokens") }
            guard !target || boards == 1 && scopes.isEmpty && role == .owner else {
                throw ValidationError("--boards, --scopes and --role are not for --target")
            }
            if let hours, !(hours > 0 && hours < 1e6) { throw ValidationError("--hours is a positive number") }
        }

        func run() async throws {
            let now = StoreOptions.now, hours = hours ?? (bootstrap ? 24 : nil)
            if target {
                let store = try await store.make()
                return print(try await store.addTarget(name, org: self.store.org, expires: hours.map { now + $0 * 3600 }, now: now))
            }
            print(
                try await store.make().issue(
                    bootstrap ? .bootstrap : .person, org: store.org, name: name, uses: boards,
                    scopes: try Scope.all(scopes.split(separator: ",").map { String($0) }), role: role,
                    expires: hours.map { now + $0 * 3600 }, now: now
                ))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The tokens that there are, without telling them.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            var table = OutputTable(names: ["mark", "kind", "org", "name", "role", "boards", "created", "expires"])
            for token in try await store.open().issued() where token.org == store.org {
                let boards = token.kind == .bootstrap ? "\(token.used) of \(token.uses)" : ""
                table.rows.append([
                    token.mark, token.kind.rawValue, token.org, token.name, token.kind == .person ? token.role.rawValue : "", boards,
                    OutputTable.time(token.created),
                    OutputTable.time(token.expires),
                ])
            }
            table.print(json: json)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a token back. Boards that were registered with it stay; one of --target gets no image any more.")

        @OptionGroup var store: StoreOptions
        @Argument(help: ArgumentHelp("Its mark or its name.", valueName: "token"))
        var token: String

        func run() async throws {
            guard try await store.open().withdraw(token, org: store.org) > 0 else {
                throw Fault(.noInput, "there is no token \(token)", remedy: "gaitway-hub tokens list")
            }
        }
    }
}

import ArgumentParser
import HubStore
import Support

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a hub's file into PostgreSQL.",
        discussion: """
            Stop the server first, and start it again with --database ADDRESS: boards, tokens, models and roll-outs go on. The file \
            keeps its contents, in the form of this version. All of it is copied or nothing, into a database that has no hub's data.
            """)

    @Argument(help: "The hub's file.", completion: .file())
    var file: String
    @Argument(help: "postgresql://[USER@][HOST][:PORT]/DATABASE")
    var database: String

    func validate() throws {
        guard HubStore.isDatabase(database) else { throw ValidationError("the second place begins with postgresql://") }
    }

    func run() async throws {
        let counts = try await HubStore.migrate(file, to: database)
        for (table, rows) in counts where rows > 0 { print("\(table): \(rows)") }
        print("\(counts.reduce(0) { $0 + $1.rows }) rows are in the database")
    }
}

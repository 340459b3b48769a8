import ArgumentParser
import HubStore

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What people changed through the page and the API, the newest first; kept for 400 days.",
        discussion: "Whoever may use `gaitway-hub` on the hub's file is its owner: that is not written down.")

    @OptionGroup var store: StoreOptions
    @Option(help: ArgumentHelp("How many.", valueName: "number")) var limit = 100
    @Flag(help: "One JSON object a line.") var json = false

    func validate() throws { guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000000") } }

    func run() async throws {
        var table = OutputTable(names: ["at", "who", "action", "status"])
        for entry in try await store.open().audit(org: store.org, limit: limit) {
            table.rows.append([OutputTable.time(entry.at), entry.who, entry.action, "\(entry.status)"])
        }
        table.print(json: json)
    }
}

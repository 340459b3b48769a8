import ArgumentParser
import HubStore
import Support

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all that the hub knows into a file, while it runs.",
        discussion: """
            A copy of the hub's file by other means misses what its write-ahead log holds. The copy has tokens (as hashes) and models: \
            its owner alone may read it.
            """)

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("The copy.", valueName: "file")) var copy: String

    func run() async throws {
        let store = try store.open()
        try await store.backUp(to: copy)
        print("\(copy): \(try Files.size(copy)) bytes of \(store.path)")
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Begin again with what `gaitway-hub backup` copied.",
        discussion: "Stop the server first. What was there is kept beside it, under the name of now.")

    @OptionGroup var store: StoreOptions
    @Argument(help: ArgumentHelp("The copy.", valueName: "file")) var copy: String

    func run() async throws {
        let path = store.path, kept = try HubStore.restore(copy, to: path)
        print("\(path) is what \(copy) holds" + (kept.map { "; what was there is \($0)" } ?? ""))
    }
}

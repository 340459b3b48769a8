import ArgumentParser
import HubStore
import ObjectStores
import Support

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all that the hub knows into a file, or again and again into a folder or bucket, while it runs.",
        discussion: """
            A copy of the hub's file by other means misses what its write-ahead log holds. The copy has tokens (as hashes) and models: \
            its owner alone may read it. With --every a copy is made whenever something changed since the last one; where the folder \
            cannot be written, that is said and tried again. Keep the folder on another disk than the hub's, or say s3://BUCKET/PREFIX: \
            a copy is made beside the hub's file then, sent (5 GB at most, as S3 takes at once), and removed. It is not encrypted: \
            who reads the bucket reads the hub.
            """)

    @OptionGroup var store: StoreOptions
    @Argument(
        help: ArgumentHelp("The copy; with --every, the folder of copies; or s3://BUCKET/PREFIX.", valueName: "file"), completion: .file())
    var copy: String
    @OptionGroup var access: BucketOptions
    @Option(help: ArgumentHelp("Go on: a copy each time that this has passed, as 30s, 5m or 1h.", valueName: "time"))
    var every: Span?
    @Option(help: ArgumentHelp("How long a copy is kept, as 36h or 14d; the newest one always is.", valueName: "time"))
    var keep = Span(seconds: 14 * 86_400)

    func run() async throws {
        // Opening a hub that is not there would make an empty one.
        try store.requireFile("pg_dump, or PostgreSQL's continuous archiving")
        _ = try Files.identity(store.path)
        let bucket = BucketFolder.isOne(copy) ? try access.backups(copy, of: store.path) : nil
        guard let every else {
            let store = try await store.open()
            if let bucket {
                let made = try await bucket.add(store, now: StoreOptions.now, kept: keep.seconds)
                return print("\(made.path): a copy of \(self.store.path)")
            }
            try await store.backUp(to: copy)
            return print("\(copy): \(try Files.size(copy)) bytes of \(store.path)")
        }
        let place: any BackupPlace = if let bucket { bucket } else { try BackupFolder(copy) }
        var series = BackupSeries(of: store.path, in: place, kept: keep.seconds), fault = RepeatedFault()
        while true {
            do throws(Fault) {
                if let made = try await series.next(now: StoreOptions.now) {
                    StandardError.write("gaitway-hub: \(made.path): a copy")
                }
                _ = fault.clear()
            } catch {
                if fault.isNew(error.message) { StandardError.write("gaitway-hub: \(error)") }
            }
            try await Task.sleep(for: .seconds(every.seconds))
        }
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Begin again with what `gaitway-hub backup` copied.",
        discussion: "Stop the server first. What was there is kept beside it, under the name of now.")

    @OptionGroup var store: StoreOptions
    @Argument(
        help: ArgumentHelp("The copy, or a folder of copies or s3://BUCKET/PREFIX: its newest.", valueName: "file"), completion: .file())
    var copy: String
    @OptionGroup var access: BucketOptions
    @Option(help: ArgumentHelp("Of a folder: the newest copy of this moment or before, as 2026-11-24T18:00:00Z.", valueName: "moment"))
    var at: String?

    func run() async throws {
        try store.requireFile("PostgreSQL's own programs: pg_restore")
        let path = store.path, moment = try moment(), chosen: String, kept: String?
        if BucketFolder.isOne(copy) {
            let bucket = try access.backups(copy, of: path), found = try bucket.copy(at: moment ?? Self.newest)
            try Files.makeDirectory(around: path)
            let fetched = try bucket.fetch(found)
            defer { try? Files.remove(fetched) }
            (chosen, kept) = (found.path, try HubStore.restore(fetched, called: found.path, to: path))
        } else {
            chosen = Files.isDirectory(copy) ? try BackupFolder(copy).copy(at: moment ?? Self.newest).path : copy
            guard moment == nil || chosen != copy else { throw Fault(.usage, "--at chooses from a folder, and \(copy) is none") }
            kept = try HubStore.restore(chosen, to: path)
        }
        print("\(path) is what \(chosen) holds" + (kept.map { "; what was there is \($0)" } ?? ""))
    }

    // Clocks of two machines differ by a little.
    private static var newest: Double { StoreOptions.now + 60 }

    private func moment() throws(Fault) -> Double? {
        guard let at else { return nil }
        guard let moment = ISOTime.seconds(at) else {
            throw Fault(.usage, "\"\(at)\" is no moment", remedy: "Write it as 2026-11-24T18:00:00Z.")
        }
        return moment
    }
}

/// A time as people write it: a number and s, m, h or d.
struct Span: ExpressibleByArgument {
    var seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let number = Int32(argument.dropLast()), number > 0 else { return nil }
        seconds = Double(number) * unit
    }

    var defaultValueDescription: String { "\(Int(seconds / 86_400))d" }
}

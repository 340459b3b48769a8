import ArgumentParser
import ObjectStores
import Support
import Upload

struct UploadClear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete all that waits on this machine; nothing remote.")

    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var options: UploadOptions

    func run() throws {
        let plan = try UploadPlan(try options.place.load()), spool = try plan.spool(), status = try spool.status()
        guard try yes || Console.confirms("Delete \(Units.files(status.files + status.refused)), which nobody has yet?") else {
            throw Fault(.failure, "nothing was deleted")
        }
        // Root deletes with the rights of whose spool it is.
        let count = try OwnersRights.run(in: plan.directory) { () throws(Fault) in try spool.clear() }
        try Console.print(options.format.json ? JSON.object([("deleted", .integer(count))]).text : "deleted \(Units.files(count))")
    }
}

struct UploadDeleteRemote: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-remote", abstract: "Delete this user's files from the bucket and rows from the table, for good.",
        discussion: "Those of other users stay, also of those whose name begins with this one's.")

    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var options: UploadOptions

    func run() throws {
        let settings = try options.place.load(), plan = try UploadPlan(settings), store = try AWSStore(settings, plan)
        let question =
            """
            Delete all files of \(plan.user) in the bucket \
            \(store.bucketName)\(store.tableName.map { " and all rows in the table \($0)" } ?? "")?
            """
        guard try yes || Console.confirms(question) else { throw Fault(.failure, "nothing was deleted") }
        let files = try remote { stop throws(RemoteFailure) in try store.removeFiles(stop) }
        let rows = store.tableName == nil ? 0 : try remote { stop throws(RemoteFailure) in try store.removeRows(stop) }
        try Console.print(
            options.format.json
                ? JSON.object([("files", .integer(files.count)), ("rows", .integer(rows))]).text
                : "deleted \(Units.files(files.count)) and \(rows) row\(rows == 1 ? "" : "s") of \(plan.user)")
    }

    private func remote<Value>(_ body: (Stop) throws(RemoteFailure) -> Value) throws(Fault) -> Value {
        do throws(RemoteFailure) { return try body(Interruption.watch()) } catch { throw error.fault }
    }
}

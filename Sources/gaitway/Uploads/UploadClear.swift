import ArgumentParser
import Cloud
import Support
import Upload

struct UploadClear: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Delete all that waits on this machine; nothing remote.")

    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var options: UploadOptions

    func run() throws {
        let plan = try UploadPlan(try options.place.load()), spool = try plan.spool(), status = try spool.status()
        guard try yes || Console.confirms("Delete \(Units.files(status.files + status.refused)), which nobody has yet?") else { throw Fault(.failure, "nothing was deleted") }
        let count = try spool.clear()
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
        let plan = try UploadPlan(try options.place.load()), manager = try plan.manager()
        let question = "Delete all files of \(plan.user) in the bucket \(manager.writeBucket)\(CloudManager.tableName.map { " and all rows in the table \($0)" } ?? "")?"
        guard try yes || Console.confirms(question) else { throw Fault(.failure, "nothing was deleted") }
        let files = try Awaited.value { () async throws(Fault) in try await manager.removeAllUserFiles() as [String] }
        let rows = CloudManager.tableName == nil ? 0 : try Awaited.value { () async throws(Fault) in try await manager.removeAllUserMetadata() as Int }
        try Console.print(
            options.format.json ? JSON.object([("files", .integer(files.count)), ("rows", .integer(rows))]).text : "deleted \(Units.files(files.count)) and \(rows) row\(rows == 1 ? "" : "s") of \(plan.user)")
    }
}

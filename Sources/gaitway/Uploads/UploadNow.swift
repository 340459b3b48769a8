import ArgumentParser
import Logging
import Support
import Upload

struct UploadNow: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "now", abstract: "Send all that waits, quiet hours or not.")

    @OptionGroup var options: UploadOptions

    func run() throws {
        let plan = try UploadPlan(try options.place.load())
        try Self.send(try plan.spool(), plan, json: options.format.json)
    }

    /// Sends all that waits and tells of every file.
    ///
    /// Errors: the failure that stopped it; what did not go waits on.
    static func send(_ spool: Spool, _ plan: UploadPlan, json: Bool) throws(Fault) {
        ConsoleLog.start(level: "notice")
        let cancellation = Interruption.flag(), manager = try plan.manager()
        do throws(RemoteFailure) {
            let result = try Uploader(spool, to: manager, log: Logger(label: "gaitway")).drain(cancellation) { name in
                try? Console.print(json ? JSON.object([("sent", .string(name))]).text : "sent \(name)")
            }
            if result.refused > 0 {
                throw RemoteFailure(.refused, Fault(.failure, "\(Units.files(result.refused)) refused and set aside", remedy: "See: gaitway upload list"))
            }
            if !json { Console.note("gaitway: \(Units.files(result.sent)) sent, \(Units.megabytes(result.bytes))") }
        } catch {
            throw error.fault
        }
        if cancellation.isRaised { throw Fault(.failure, "interrupted; what did not go waits on") }
    }
}

struct UploadRetry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "retry", abstract: "Send refused files again, with all else that waits.")

    @OptionGroup var options: UploadOptions

    func run() throws {
        let plan = try UploadPlan(try options.place.load()), spool = try plan.spool()
        _ = try spool.retryRefused()
        try UploadNow.send(spool, plan, json: options.format.json)
    }
}

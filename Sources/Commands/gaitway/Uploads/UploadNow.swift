import ArgumentParser
import Ledger
import Logging
import ObjectStores
import Support
import Upload

struct UploadNow: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "now", abstract: "Send all that waits, quiet hours or not.")

    @OptionGroup var options: UploadOptions

    func run() throws {
        let settings = try options.place.load(), plan = try UploadPlan(settings)
        try Self.send(try plan.spool(), try AWSStore(settings, plan), json: options.format.json)
    }

    /// Sends all that waits and tells of every file.
    ///
    /// - Throws: the failure that stopped it; what did not go waits on.
    static func send(_ spool: Spool, _ store: AWSStore, json: Bool) throws(Fault) {
        ConsoleLog.start(level: "notice")
        let stop = Interruption.watch(), ledger = PrivacyLedger()
        defer { try? ledger.save() }
        do throws(RemoteFailure) {
            let result = try Uploader(spool, to: store, ledger: ledger, log: Logger(label: "gaitway")).drain(stop) { name in
                try? Console.print(json ? JSON.object([("sent", .string(name))]).text : "sent \(name)")
            }
            if result.refused > 0 {
                throw RemoteFailure(
                    .refused, Fault(.failure, "\(Units.files(result.refused)) refused and set aside", remedy: "See: gaitway upload list"))
            }
            if !json { Console.note("gaitway: \(Units.files(result.sent)) sent, \(Units.megabytes(result.bytes))") }
        } catch {
            throw error.fault
        }
        if stop.isRaised { throw Fault(.failure, "interrupted; what did not go waits on") }
    }
}

struct UploadRetry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "retry", abstract: "Send refused files again, with all else that waits.")

    @OptionGroup var options: UploadOptions

    func run() throws {
        let settings = try options.place.load(), plan = try UploadPlan(settings), spool = try plan.spool()
        _ = try spool.retryRefused()
        try UploadNow.send(spool, try AWSStore(settings, plan), json: options.format.json)
    }
}

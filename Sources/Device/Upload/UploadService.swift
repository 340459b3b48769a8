package import Ledger
package import Logging
package import Recognition
internal import ServiceLifecycle
internal import Support

/// What `gaitway run` does with windows when uploads are on: they are recorded on one thread and sent on another.
package final class UploadService: Service {
    private let recorder: WindowRecorder
    private let stop = Stop()
    private let arrived = WakeEvent()
    private let sender = ServiceThread()
    private let plan: UploadPlan
    private let store: OpenStore
    private let ledger: PrivacyLedger
    private let log: Logger
    private let waits: Bool
    private let began: Int64?

    /// - Parameters:
    ///   - store: where files go; what it throws is logged, and files wait then.
    ///   - ledger: counts what is sent.
    ///   - began: of a recording, ms since 1970; nil where windows are of now.
    ///   - waits: whether windows come as fast as they are taken; else they wait for nothing.
    package init(
        _ plan: UploadPlan, to store: @escaping OpenStore, ledger: PrivacyLedger, began: Int64?, waits: Bool, log: Logger
    ) {
        (self.plan, self.store, self.ledger, self.began, self.waits, self.log) = (plan, store, ledger, began, waits, log)
        let arrived = arrived
        recorder = WindowRecorder(content: plan.content, seconds: plan.seconds, log: log, onFinished: { arrived.raise() })
        recorder.start { [self] () throws(Fault) in
            let spool = try plan.recordingSpool(), found = try spool.recover()
            if found.files > 0 || found.torn > 0 {
                log.notice("\(found.rows) windows of an interrupted run wait too; \(found.torn) torn pieces were set aside")
            }
            send(spool)
            return spool
        }
    }

    // Begins once the spool is open.
    private func send(_ spool: Spool) {
        do throws(Fault) {
            let uploader = Uploader(spool, to: try store(), quiet: plan.quiet, ledger: ledger, log: log)
            sender.start { [stop, arrived] in uploader.run(stop, arrived: arrived) }
        } catch {
            log.warning("\(error)")
        }
    }

    package func take(_ activity: Activity, by model: RecordedModel) {
        let decision = activity.labels.firstIndex(of: activity.label)
        // A sensor's own clock may be off by minutes a day; a recording has no other.
        let time = began.map { $0 + activity.end * 20 } ?? SystemTime.wall / 1_000_000 - activity.waited
        recorder.take(RecordedWindow(time: time, samples: activity.window, decision: decision), by: model, waits: waits)
    }

    /// Drops what is recorded and not yet in a file that waits.
    package func discard() { recorder.discard() }

    // What was taken is on disk by then; what is being sent waits for the next start.
    package func run() async {
        try? await gracefulShutdown()
        recorder.stop()
        stop.raise()
        arrived.raise()
        sender.join()
    }
}

package import Ledger
package import Logging
package import Support

/// Takes what waits in the spool to where it is kept for good, the oldest first: the file, its row of metadata, then the file here goes.
package struct Uploader: Sendable {
    /// What became of the files.
    package struct Result: Sendable, Equatable {
        package var sent = 0, refused = 0
        package var bytes: Int64 = 0
    }

    package let spool: Spool
    package let store: any RemoteStore
    package let quiet: QuietHours?
    package let ledger: PrivacyLedger?
    package let log: Logger

    /// - Parameter ledger: counts what is sent; nil where somebody else does.
    package init(_ spool: Spool, to store: any RemoteStore, quiet: QuietHours? = nil, ledger: PrivacyLedger? = nil, log: Logger) {
        (self.spool, self.store, self.quiet, self.ledger, self.log) = (spool, store, quiet, ledger, log)
    }

    /// Sends all that waits.
    ///
    /// - Throws: the first failure that is not one file's own; that file and those after it stay. Files that the server will never take
    ///   are set aside, and logged.
    package func drain(_ cancellation: Stop = Stop(), progress: (_ name: String) -> Void = { _ in }) throws(RemoteFailure) -> Result {
        var result = Result()
        for name in try Self.failing({ () throws(Fault) in try spool.waiting() }) {
            guard !cancellation.isRaised else { break }
            try send(name, &result, cancellation, progress)
        }
        return result
    }

    private func send(_ first: String, _ result: inout Result, _ cancellation: Stop, _ progress: (String) -> Void) throws(RemoteFailure) {
        // The service and a command may both be at it: one file at a time.
        guard let lock = try Self.failing({ () throws(Fault) in try FileLock(spool.directory + "/lock", cancellation) }) else { return }
        defer { lock.release() }
        var name = first
        guard let bytes = try? Files.size(spool.path(pending: name)) else { return } // the other one sent it
        while true {
            do throws(RemoteFailure) {
                let attributes = spool.attributes(of: name)
                try store.store(file: spool.path(pending: name), as: name, digest: attributes?.digest, cancellation)
                if store.keepsMetadata { try store.store(metadata: metadata(name, attributes, bytes), cancellation) }
                break
            } catch  where error.kind == .refused {
                log.error("\(name) was set aside: \(error.fault)")
                try Self.failing { () throws(Fault) in try spool.refuse(name) }
                result.refused += 1
                return
            } catch  where error.kind == .taken {
                name = try Self.failing { () throws(Fault) in try spool.rename(name) }
                log.warning("\(error.fault.message); this one is now \(name)")
            }
        }
        ledger?.note(.uploads, to: store.place, items: spool.rows(of: name), bytes: bytes)
        try Self.failing { () throws(Fault) in try spool.remove(name) }
        result.sent += 1
        result.bytes += bytes
        progress(name)
    }

    private func metadata(_ name: String, _ attributes: FileAttributes?, _ bytes: Int64) -> [String: String] {
        var row = attributes?.metadata ?? [:]
        row[RowKey.user] = store.userID
        row[RowKey.date] = DataFileName.date(in: name)
        row[RowKey.field(0)] = name
        row[RowKey.field(5)] = "\(bytes)"
        return row
    }

    // The spool's own faults stop everything, until somebody mends them.
    private static func failing<Value>(_ body: () throws(Fault) -> Value) throws(RemoteFailure) -> Value {
        do throws(Fault) { return try body() } catch { throw RemoteFailure(.blocked, error) }
    }

    /// Sends whatever comes, until `stop` is raised; meant for a thread of its own.
    ///
    /// - Parameter arrived: raised when a file waits, and together with `stop`.
    package func run(_ stop: Stop, arrived: WakeEvent) {
        var rounds = Rounds()
        while !stop.isRaised {
            let pause = turn(&rounds, stop)
            if !stop.isRaised { wait(pause, stop, arrived) }
        }
    }

    /// What goes on from one look at the spool to the next.
    struct Rounds {
        fileprivate var backOff = BackOff(base: 2, cap: 900), fault = RepeatedFault()
    }

    /// How long to wait for the next look at the spool.
    struct Pause: Equatable {
        var seconds: Double
        /// Whether a file that arrives ends it: after a failure it is no reason to hurry.
        var endsEarly: Bool
    }

    /// One look at the spool: sends what waits, outside the quiet hours.
    func turn(_ rounds: inout Rounds, _ stop: Stop, now: CalendarTime = .now) -> Pause {
        // Whatever comes raises `arrived`: a board that sleeps is not woken for nothing.
        if quiet?.contain(now) == true { return Pause(seconds: 300, endsEarly: true) }
        do throws(RemoteFailure) {
            let result = try drain(stop)
            if result.sent > 0 {
                log.info("\(result.sent) files sent, \(result.bytes) bytes")
                if rounds.fault.clear() { log.notice("files are sent again") }
            }
            rounds.backOff.reset()
            return Pause(seconds: 3600, endsEarly: true)
        } catch {
            if stop.isRaised { return Pause(seconds: 0, endsEarly: true) }
            if rounds.fault.isNew(error.fault.message) { log.warning("nothing is sent just now: \(error.fault)") }
            guard case .temporary(let least) = error.kind else {
                // Credentials and buckets are mended by people: no hurry.
                return Pause(seconds: Double.random(in: 60...300), endsEarly: false)
            }
            return Pause(seconds: rounds.backOff.next(least: least), endsEarly: false)
        }
    }

    private func wait(_ pause: Pause, _ stop: Stop, _ arrived: WakeEvent) {
        IdleMemory.giveBack()
        let end = SystemTime.sinceBoot + Int64(pause.seconds * 1e9)
        while !stop.isRaised, SystemTime.sinceBoot < end {
            if arrived.wait(milliseconds: Int((end - SystemTime.sinceBoot) / 1_000_000) + 1) && pause.endsEarly { return }
        }
    }
}

public import Logging
public import Support

/// Takes what waits in the spool to where it is kept for good, the oldest first: the file, its row of metadata, then the file here goes.
public struct Uploader: Sendable {
    /// What became of the files.
    public struct Result: Sendable, Equatable {
        public var sent = 0, refused = 0
        public var bytes: Int64 = 0
    }

    public let spool: Spool
    public let store: any RemoteStore
    public let quiet: QuietHours?
    public let log: Logger

    public init(_ spool: Spool, to store: any RemoteStore, quiet: QuietHours? = nil, log: Logger) { (self.spool, self.store, self.quiet, self.log) = (spool, store, quiet, log) }

    /// Sends all that waits.
    ///
    /// Errors: the first failure that is not one file's own; that file and those after it stay. Files that the server will never take
    /// are set aside, and logged.
    public func drain(_ cancellation: StopFlag = StopFlag(), progress: (_ name: String) -> Void = { _ in }) throws(RemoteFailure) -> Result {
        var result = Result()
        for name in try Self.failing({ () throws(Fault) in try spool.waiting() }) {
            guard !cancellation.isRaised else { break }
            try send(name, &result, cancellation, progress)
        }
        return result
    }

    private func send(_ first: String, _ result: inout Result, _ cancellation: StopFlag, _ progress: (String) -> Void) throws(RemoteFailure) {
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
            } catch where error.kind == .refused {
                log.error("\(name) was set aside: \(error.fault)")
                try Self.failing { () throws(Fault) in try spool.refuse(name) }
                result.refused += 1
                return
            } catch where error.kind == .taken {
                name = try Self.failing { () throws(Fault) in try spool.rename(name) }
                log.warning("\(error.fault.message); this one is now \(name)")
            }
        }
        try Self.failing { () throws(Fault) in try spool.remove(name) }
        result.sent += 1
        result.bytes += bytes
        progress(name)
    }

    private func metadata(_ name: String, _ attributes: FileAttributes?, _ bytes: Int64) -> [String: String] {
        var row = attributes?.metadata ?? [:]
        row[Keys.hash] = store.userID
        row[Keys.range] = DataFileName.date(in: name)
        row[Keys.m0] = name
        row[Keys.m5] = "\(bytes)"
        return row
    }

    // The spool's own faults stop everything, until somebody mends them.
    private static func failing<Value>(_ body: () throws(Fault) -> Value) throws(RemoteFailure) -> Value {
        do throws(Fault) { return try body() } catch { throw RemoteFailure(.blocked, error) }
    }

    /// Sends whatever comes, until `cancellation` is raised; meant for a thread of its own.
    ///
    /// - Parameter arrived: raised when a file waits, and together with the cancellation.
    public func run(_ cancellation: StopFlag, arrived: Signal) {
        var backOff = BackOff(base: 2, cap: 900), random = SystemRandomNumberGenerator(), complaint = ""
        while !cancellation.isRaised {
            // Whatever comes raises `arrived`: a board that sleeps is not woken for nothing.
            let isQuiet = quiet?.contain(.now) == true
            var pause = isQuiet ? 300.0 : 3600
            if !isQuiet {
                do throws(RemoteFailure) {
                    let result = try drain(cancellation)
                    if result.sent > 0 {
                        log.info("\(result.sent) files sent, \(result.bytes) bytes")
                        if !complaint.isEmpty { log.notice("files are sent again") }
                        complaint = ""
                    }
                    backOff.reset()
                } catch {
                    if cancellation.isRaised { return }
                    if error.fault.message != complaint { log.warning("nothing is sent just now: \(error.fault)") }
                    complaint = error.fault.message
                    // Credentials and buckets are mended by people: no hurry.
                    if case .temporary(let least) = error.kind { pause = backOff.next(least: least, using: &random) } else { pause = Double.random(in: 60...300) }
                    wait(pause, cancellation, arrived, endsEarly: false)
                    continue
                }
            }
            wait(pause, cancellation, arrived, endsEarly: true)
        }
    }

    // After a failure a new file is no reason to hurry.
    private func wait(_ seconds: Double, _ cancellation: StopFlag, _ arrived: Signal, endsEarly: Bool) {
        IdleMemory.giveBack()
        let end = SystemTime.sinceBoot + Int64(seconds * 1e9)
        while !cancellation.isRaised, SystemTime.sinceBoot < end {
            if arrived.wait(milliseconds: Int((end - SystemTime.sinceBoot) / 1_000_000) + 1) && endsEarly { return }
        }
    }
}

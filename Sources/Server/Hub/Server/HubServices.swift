internal import CrowdServer
internal import Cryptography
internal import HubProtocol
internal import HubStore
internal import Logging
internal import Support
internal import Synchronization

/// What all routes share.
final class HubServices: Sendable {
    let store: HubStore
    let options: HubOptions
    let limiter: RateLimiter
    /// Of refused requests that are written down.
    let refusals = RateLimiter()
    let eventBytes: ByteQuota
    let crowd: CrowdKeeper
    let metrics = HubMetrics()
    /// Of an organisation.
    let attention = Remembered<Attention>(), fleets = Remembered<Fleet>()
    /// Of a roll-out, and how many boards are looked for.
    let progress = Remembered<RolloutProgress>(), totals = Remembered<Int>()
    let log: Logger
    let clock = SecondsText()
    private let secret: [UInt8]
    // The versions that boards fetch right now.
    private let files = Mutex<[String: [UInt8]]>([:])
    private let filesLimit = 64 << 20
    // When it was said last that a file is away, and seconds until it is said again.
    private let missing = Mutex(-Double.infinity)
    private static let quiet = 60.0
    private let reports = Mutex<[String: ModelReport]>([:])

    init(store: HubStore, options: HubOptions, secret: [UInt8], log: Logger) {
        (self.store, self.options, self.secret, self.log) = (store, options, secret, log)
        limiter = RateLimiter()
        eventBytes = ByteQuota(perHour: options.eventBytesPerHour)
        crowd = CrowdKeeper(store, log: log)
    }

    func fleet(_ org: String) async throws(Fault) -> Fleet {
        try await fleets.of(org) { [self] () async throws(Fault) in try await store.fleet(org: org, now: now) }
    }

    /// Seconds since 1970.
    var now: Double { SystemTime.wallTime }

    /// Writes down what is the same to whoever finds it, as a database that is away: at most twice a minute for all of them together.
    func report(_ fault: Fault) {
        if refusals.wait("fault \(fault.message)", perMinute: 2, now: now) == nil { log.error("\(fault)") }
    }

    /// A model's bytes, by their SHA-256.
    func file(_ checksum: String) async throws(Fault) -> [UInt8]? {
        if let known = files.withLock({ $0[checksum] }) { return known }
        let found: [UInt8]?
        do throws(Fault) {
            found = try await store.bytes(checksum: checksum)
        } catch {
            // Who asks need not know where it would be. A thousand boards do.
            let now = now
            let isTime = missing.withLock { last in
                defer { if !(0..<Self.quiet).contains(now - last) { last = now } }
                return !(0..<Self.quiet).contains(now - last)
            }
            if isTime { log.error("\(error)") }
            throw error
        }
        guard let bytes = found else { return nil }
        keep(bytes, checksum: checksum)
        return bytes
    }

    /// A file that is made of another one is sent from here.
    func keep(_ bytes: [UInt8], checksum: String) {
        files.withLock { files in
            if files.values.reduce(bytes.count, { $0 + $1.count }) > filesLimit { files.removeAll() }
            if bytes.count <= filesLimit { files[checksum] = bytes }
        }
    }

    /// Whether a board says something new of its models.
    func isNews(_ report: ModelReport, of device: String) -> Bool { reports.withLock { $0["\(device) \(report.model)"] != report } }

    /// What was kept may be gone: a person resumed a roll-out.
    func forgetReports() { reports.withLock { $0.removeAll() } }

    /// What a board said is kept.
    func remember(_ report: ModelReport, of device: String) {
        reports.withLock { reports in
            if reports.count >= 100_000 { reports.removeAll() }
            reports["\(device) \(report.model)"] = report
        }
    }

    /// A number for a board to sign, good for a minute.
    func nonce() -> String {
        let expires = Int64(now) + 60, unique = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255) })
        return "\(expires).\(unique).\(nonceSignature("\(expires).\(unique)"))"
    }

    func isNonce(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let expires = Int64(parts[0]), expires >= Int64(now), let code = Hexadecimal.bytes(String(parts[2])) else {
            return false
        }
        return MessageCode.isValid(code, of: "nonce \(parts[0]).\(parts[1])".utf8, key: secret)
    }

    private func nonceSignature(_ text: String) -> String { Hexadecimal.text(MessageCode.of("nonce \(text)".utf8, key: secret)) }

    /// Proves that this hub gave an address of a file, good until `expires` (seconds since 1970).
    func signature(_ checksum: String, expires: Int) -> String {
        Hexadecimal.text(MessageCode.of("\(checksum) \(expires)".utf8, key: secret))
    }

    func isSignature(_ text: String, of checksum: String, expires: Int) -> Bool {
        Hexadecimal.bytes(text).map { MessageCode.isValid($0, of: "\(checksum) \(expires)".utf8, key: secret) } ?? false
    }
}

internal import Glibc
internal import Support

/// Tells systemd how the service does (sd_notify's protocol: datagrams to $NOTIFY_SOCKET). Without systemd it does nothing.
package struct ServiceNotifier: ~Copyable {
    private let descriptor: CInt
    /// How long the watchdog waits, ns; nil without one.
    private let patience: Int64?
    /// What passes between two messages to it at least, ns: half of that, or less where the loop waits for long.
    private(set) var beat: Int64
    private var lastBeat: Int64 = 0
    private var isLong = false
    // What the loop's thread sends, in memory that is used again.
    private var line = TextLine(capacity: 128)

    package init() {
        descriptor = Self.open()
        let patience = Self.number("WATCHDOG_USEC"), process = Self.number("WATCHDOG_PID")
        // The watchdog may be meant for the program that started this one.
        let isMeant = descriptor >= 0 && (process ?? Int64(getpid())) == Int64(getpid())
        self.patience = isMeant ? patience.flatMap { $0 > 0 && $0 < 1 << 50 ? $0 * 1000 : nil } : nil
        beat = (self.patience ?? 0) / 2
    }

    // For a block, and a machine that is busy, ns.
    private static let spare: Int64 = 4_000_000_000

    /// The loop may wait for `seconds` between two steps.
    ///
    /// - Returns: for how long it may really wait, where the watchdog would not wait for more.
    package mutating func allow(waits seconds: Double) -> Double {
        guard let patience, seconds > 0 else { return seconds }
        let wait = Swift.max(0, Swift.min(Int64(seconds * 1e9), patience - 2 * Self.spare))
        beat = Swift.max(0, Swift.min(beat, patience - wait - Self.spare))
        return Double(wait) * 1e-9
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func number(_ name: String) -> Int64? { unsafe getenv(name).flatMap { unsafe Int64(String(cString: $0)) } }

    package func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }
    package func stopping() { send("STOPPING=1") }

    package mutating func status(_ status: String) {
        line.clear()
        line.append("STATUS=")
        line.append(status)
        send(line.bytes)
    }

    /// Type=notify-reload's protocol: RELOADING with the time at which it began.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(SystemTime.monotonic / 1000)") }

    /// The loop went on: feeds the watchdog, at most twice in its patience. Nothing else feeds it.
    ///
    /// - Parameter isLong: the next progress may be ``longest`` away: the watchdog waits for it.
    package mutating func progress(nextIsLate isLong: Bool = false) {
        guard let patience, isLong != self.isLong || SystemTime.monotonic - lastBeat >= beat else { return }
        lastBeat = SystemTime.monotonic
        line.clear()
        if isLong != self.isLong { line.append("WATCHDOG_USEC=\(Swift.max(patience / 1000, isLong ? Self.longest : 0))\n") }
        line.append("WATCHDOG=1")
        self.isLong = isLong
        send(line.bytes)
    }

    /// us, of a sensor that sleeps and looks up every six minutes.
    private static let longest: Int64 = 420_000_000

    private func send(_ text: String) { send(Array(text.utf8)) }

    private func send(_ bytes: [UInt8]) {
        guard descriptor >= 0 else { return }
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }

    private static func open() -> CInt {
        guard let path = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }), path.hasPrefix("/") || path.hasPrefix("@"),
            let address = LocalAddress(path)
        else { return -1 }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        guard address.connects(descriptor) else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}

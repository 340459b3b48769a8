package import Logging
package import Recognition
package import Sensing
package import Support

/// Keeps what was learnt of how the sensor is worn over restarts: `orientation` among the state, a line with the format, a line with the
/// sensor's name, the numbers (``Orientation/numbers``).
package struct OrientationFile {
    private let directory: String
    private let source: String
    private let clock: ServiceClock
    private let log: Logger
    private var saved: Orientation?
    private var fault = RepeatedFault()
    // ns since boot.
    private var next: Int64 = 0
    private var wasLearnt = false

    private static let name = "gaitway-orientation", format = "\(name) 2", limit = 64 << 10
    /// It changes slowly; a power cut costs no more than this, ns. Until it is known it is asked for more often.
    private static let period: Int64 = 600_000_000_000, patience: Int64 = 10_000_000_000

    /// - Parameter source: the sensor's name: what was learnt with another one says nothing about this.
    package init(source: String, directory: String = Places.state, clock: ServiceClock = .system, log: Logger) {
        (self.source, self.directory, self.clock, self.log) = (source, directory, clock, log)
    }

    /// That of a sensor; nil for recordings and simulated wearers, which are worn anew each time.
    package init?(of source: any SampleSource, log: Logger) {
        guard source.isLive else { return nil }
        self.init(source: source.sensor, log: log)
    }

    private var path: String { "\(directory)/orientation" }

    /// What was kept of any sensor; nil when nothing was, or when it is damaged.
    package static func latest(directory: String = Places.state) -> Orientation? {
        guard let lines = try? lines("\(directory)/orientation"), lines.count == 3, lines[0] == format else { return nil }
        return try? orientation(lines[2])
    }

    private static func orientation(_ line: String) throws(Fault) -> Orientation {
        let words = line.split(separator: " "), numbers = words.compactMap { Int64($0) }
        guard numbers.count == words.count else { throw Fault(.badData, "what was kept of how the sensor is worn is damaged") }
        return try Orientation(numbers)
    }

    private static func lines(_ path: String) throws(Fault) -> [String] {
        guard Files.isFile(path) else { throw Fault(.badData, "it is no file") }
        return String(decoding: try Files.read(path, limit: limit), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// What was kept; nil when nothing was, or of another sensor, or when it is damaged, which is logged.
    package mutating func load() -> Orientation? {
        guard Files.exists(path) else { return nil }
        do throws(Fault) {
            let lines = try Self.lines(path)
            if let first = lines.first, first != Self.format, first.hasPrefix(Self.name) {
                log.notice("\(path): another version of gaitway wrote it; how the sensor is worn is learnt anew from walking")
                return nil
            }
            guard lines.first == Self.format, lines.count == 3 else { throw Fault(.badData, "it is not what gaitway writes") }
            guard lines[1] == source else { return nil }
            saved = try Self.orientation(lines[2])
            return saved
        } catch {
            log.warning("\(path): \(error.message); it is learnt anew from walking")
            return nil
        }
    }

    /// Takes note of each decision: what was just learnt, or learnt anew, is due at once.
    package mutating func note(_ known: KnownBy?) {
        if known == .learnt && !wasLearnt { next = 0 }
        wasLearnt = known == .learnt
    }

    /// Whether it is time to look at it again: when it was just learnt, then every ten minutes.
    package var isDue: Bool { clock.sinceBoot() >= next }

    /// Writes it down where it is known and has changed.
    package mutating func take(_ orientation: Orientation?) {
        let now = clock.sinceBoot()
        next = now + Self.patience
        guard let orientation, orientation.isKnown else { return }
        next = now + Self.period
        guard orientation != saved else { return }
        do throws(Fault) {
            try keep(orientation)
        } catch {
            if fault.isNew(error.message) { log.warning("how the sensor is worn was not kept: \(error.message)") }
        }
    }

    /// Writes it down at once.
    ///
    /// - Throws: those of ``Files/write(_:to:)``.
    package mutating func keep(_ orientation: Orientation) throws(Fault) {
        let numbers = orientation.numbers.map(String.init).joined(separator: " ")
        try Files.makeDirectory(directory)
        try Files.write(Array("\(Self.format)\n\(source)\n\(numbers)\n".utf8), to: path, isPrivate: true)
        saved = orientation
    }
}

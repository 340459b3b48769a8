package import Logging
package import Sensing
package import Support

/// A sensor that may be another gaitway's: read from the kernel when it is free, else through the stream of the program that has it.
///
/// While that program is away this one reads the kernel in its place, and leaves the sensor to it when it is back.
package final class SharedSensor: SampleSource {
    private let ways: SensorWays
    private let cancellation: Stop
    private let log: Logger
    private var source: any SampleSource
    private var isAway = false, followsGap = false
    private var fault = RepeatedFault()
    // Of the sources before this one.
    private var before = SourceStatistics()
    // When to look for the other program next, and until when the kernel is left to it, ns of the machine's time.
    private var nextLook: Int64 = 0, leftUntil: Int64 = 0
    // Between looks after it did not take what was left to it, s.
    private var backOff = BackOff(base: 60, cap: 3600, jitter: .none)
    private var blockSeconds: Double?
    // Between two looks; for which the other program has time to take the sensor.
    private static let interval: Int64 = 1_000_000_000, grace: Int64 = 20_000_000_000

    /// What the user named, and for a sensor that another gaitway has that one's samples.
    ///
    /// - Throws: those of the source.
    package static func open(
        _ chosen: SourceSpecification, cancellation: Stop, log: Logger, asking request: SensorRequest
    ) throws(Fault) -> any SampleSource {
        let kernel = { () throws(Fault) in
            try chosen.open(cancellation: cancellation, log: log, asking: request)
        }
        guard case .iio(let device, nil) = chosen else { return try kernel() }
        let ways = SensorWays(device: device, cancellation: cancellation, kernel: kernel), source = try ways.either()
        guard source is StreamSource else { return source }
        return SharedSensor(source, ways, cancellation, log)
    }

    private init(_ source: any SampleSource, _ ways: SensorWays, _ cancellation: Stop, _ log: Logger) {
        (self.source, self.ways, self.cancellation, self.log) = (source, ways, cancellation, log)
    }

    package var name: String { source.name }
    package var sensor: String { source.sensor }
    package var names: [String] { source.names }
    package var rate: Int { source.rate }
    package let isLive = true

    package var statistics: SourceStatistics? {
        guard var now = source.statistics else { return before }
        now.lost += before.lost
        now.gaps += before.gaps
        now.wakeups += before.wakeups
        now.asleep += before.asleep
        return now
    }

    package func useBlocks(of seconds: Double) {
        blockSeconds = seconds
        source.useBlocks(of: seconds)
    }
    package func gather(_ isAllowed: Bool) { source.gather(isAllowed) }
    package var isBehind: Bool { source.isBehind }

    /// The block is empty, after a second, while neither gives samples.
    package func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        if isAway {
            guard !cancellation.isRaised(within: 1000) else { return false }
            guard returns() else { return true }
        } else if !(source is StreamSource), SystemTime.monotonic >= nextLook {
            nextLook = SystemTime.monotonic + Self.interval
            if ways.isAwaited(source.names) {
                log.notice("another gaitway waits for the sensor: this one leaves it")
                leftUntil = SystemTime.monotonic + Self.grace
                leave()
                return true
            }
        }
        do throws(Fault) {
            guard try source.read(into: &block) else { return false }
        } catch  where source is StreamSource {
            log.notice("\(error.message); the sensor is read from the kernel")
            leave()
            return true
        }
        if block.count > 0 && followsGap { (block.followsGap, followsGap) = (true, false) }
        return true
    }

    // The kernel's buffer ends with its source.
    private func leave() {
        before = statistics ?? before
        before.gaps += 1
        source = AbsentSensor(like: source)
        (isAway, followsGap) = (true, true)
    }

    private func returns() -> Bool {
        do throws(Fault) {
            source = SystemTime.monotonic < leftUntil ? try ways.stream() : try ways.either()
            if let blockSeconds { source.useBlocks(of: blockSeconds) }
        } catch {
            if fault.isNew(error.message) { log.warning("\(error.message)") }
            return false
        }
        fault.clear()
        isAway = false
        if source is StreamSource {
            backOff.reset()
        } else if leftUntil > 0 {
            nextLook = SystemTime.monotonic + Int64(backOff.next() * 1e9)
        }
        leftUntil = 0
        log.notice("reading \(source.name)")
        return true
    }
}

/// In the place of a sensor that was left.
private final class AbsentSensor: SampleSource {
    let name: String, sensor: String, names: [String], rate: Int
    let isLive = true

    init(like other: any SampleSource) { (name, sensor, names, rate) = (other.name, other.sensor, other.names, other.rate) }

    func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        return true
    }
}

internal import Glibc
package import Logging
package import Support

/// An IIO accelerometer: through its buffer where that works, else by polling its attributes at 50 Hz.
///
/// A sensor that is pulled out is waited for and known again by its name and place; a capture that stalls is set up again; a buffer
/// that does not deliver is left for polling and tried again later. Each such event is logged, and the next block follows a gap.
/// Meanwhile `read` answers about once a second with an empty block.
package final class IIOSource: SampleSource {
    package private(set) var rate: Int
    package let isLive = true

    private let uri: String?
    private var seconds: Double
    private let latency: Double
    let cancellation: Stop
    let log: Logger
    private var selection: IIOSelection
    private(set) var session: IIOSession
    private var clock: SampleClock

    // What the session gave last, and how much of it was handed on; the sample behind it that the next block decides on.
    private(set) var captured = 0
    private var taken = 0, kept: Int?
    private var missingBeforeTaken = 0
    private var followsGap = false
    // Whether blocks may come together, and how many of those that did are still to be read.
    private var mayGather = false, gathered = 0, hasWaited = false
    // The cheapest way to capture that may be tried.
    private var mode = CaptureMode.fifo
    private var hasDelivered = false
    private var isAway = false, attempts = SensorReturn()
    // When a way that did not deliver is tried again, ns.
    private var bufferDue: Int64 = 0, bufferBackOff = BackOff(base: 60, cap: 3600, jitter: .none)
    private var blocks: Int64 = 0, warnedBlock: Int64 = 0, lost: Int64 = 0, gaps: Int64 = 0
    var earlierWakeups: Int64 = 0
    private var asleep = SystemTime.asleep
    private var watch = RateWatch(), warnedRate = false, warnedRest = false, warnedRange = false
    var rest = RestPlan(), motion: Optional<MotionEvents> = nil
    // Since when the sensor sleeps, ns, and whether the reader was told; for how long it slept before.
    var sleep: (since: Int64, isTold: Bool)?
    var sleptBefore: Int64 = 0
    var slowRest = SlowRest()
    package let attention: WakeEvent? = WakeEvent()

    /// - Parameters:
    ///   - device: name, label, id (`iio:device0`) or number of the device; the first one when nil.
    ///   - uri: libiio's address of another machine, as "ip:HOST"; this machine when nil.
    ///   - request: what it is asked for.
    ///   - cancellation: ends a waiting read.
    /// - Throws: `.sensorUnavailable`, `.permission`, each naming the device and what to do.
    package init(
        device: String?, uri: String? = nil, request: SensorRequest = SensorRequest(), cancellation: Stop = Stop(),
        log: Logger = Logger(label: "gaitway.sensing")
    ) throws(Fault) {
        var selection = IIOSelection(device: device, rate: request.rate, range: request.range)
        let (session, mode) = try Self.open(
            selection, uri: uri, seconds: request.seconds, latency: request.latency, mode: .fifo, cancellation, log)
        selection.know(session.accelerometer, among: session.offered)
        self.uri = uri
        self.seconds = request.seconds
        self.latency = request.latency
        self.cancellation = cancellation
        self.log = log
        self.selection = selection
        self.session = session
        self.mode = mode
        self.rate = session.rate
        clock = SampleClock(rate: session.rate)
        tryBufferLater()
        checkRange()
    }

    package var sensor: String {
        let name = session.accelerometer.name
        return name.isEmpty ? "accelerometer" : name
    }

    package var names: [String] {
        let device = session.accelerometer, number = String(device.id.drop { !$0.isNumber })
        return [device.name, device.label, device.id, number].filter { !$0.isEmpty }
    }

    package var name: String {
        let device = session.accelerometer
        return switch session.mode {
        case .fifo: "\(device.title) through its FIFO"
        case .polled: "\(device.title) polled"
        case .triggered where device.trigger.isEmpty: "\(device.title) through its buffer"
        case .triggered: "\(device.title) through its buffer, trigger \(device.trigger)"
        }
    }

    /// The trigger's line, the chip's, its driver's, and its bus's: ".../fe804000.i2c/i2c-1/1-0015".
    package var interrupts: [String] {
        let device = session.accelerometer
        let bus = device.parent.split(separator: "/").map(String.init).filter { $0.hasSuffix(".i2c") || $0.hasSuffix(".spi") }
        return ([device.name, device.trigger, device.driver] + bus).filter { !$0.isEmpty }
    }

    package var statistics: SourceStatistics? {
        var statistics = SourceStatistics()
        statistics.lost = lost
        statistics.gaps = gaps
        statistics.wakeups = earlierWakeups + session.wakeups
        statistics.measuredRate = clock.rate
        statistics.asleep = sleptBefore + (sleep.map { SystemTime.monotonic - $0.since } ?? 0)
        return statistics
    }

    package func useBlocks(of seconds: Double) {
        guard seconds != self.seconds else { return }
        self.seconds = seconds
        if !isAway { leave() }
    }

    package func sleep(afterStill duration: Int64?) { rest.after = duration }

    package func gather(_ isAllowed: Bool) { mayGather = isAllowed }

    package var isBehind: Bool { gathered > 0 }

    package func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        (block.count, block.isStill, block.waited) = (0, false, 0)
        if sleep != nil && !isAway {
            guard !staysAsleep() else {
                (block.isStill, block.time) = (true, SystemTime.monotonic)
                return !cancellation.isRaised
            }
        }
        while taken == captured {
            if isAway {
                guard returns() else { return !cancellation.isRaised }
            }
            if mayGather && gathered == 0 && session.gathering > 1 && session.isTimestamped && !gather() { return false }
            (gathered, hasWaited) = (max(0, gathered - 1), gathered > 0)
            let first = kept == nil ? 0 : 1
            let missing = session.mayCutBlocks ? missing(of: block.wanted) : 0, most = SampleBlock.part(of: session.block, missing: missing)
            let result = session.read(keeping: kept, most: most)
            if result == -ECANCELED { return false }
            if result > 0 { accept(Int(result), isWhole: Int(result) >= first + most) } else { leave(because: result) }
        }
        handOn(to: &block)
        if taken == captured { considerRest(block) }
        return true
    }

    // Samples to come until the next decision; those that tell whether the kept one was late come at least.
    private func missing(of wanted: Int) -> Int { wanted > 0 && kept != nil ? max(3, wanted - 1) : wanted }

    // One wake-up for several blocks. False when asked to stop.
    private func gather() -> Bool {
        let result = session.gather(attention: attention)
        if result == 0 { attention?.wait(milliseconds: 0) }
        gathered = max(0, Int(result))
        return result != -ECANCELED
    }

    // Up to the next gap, or as much as fits.
    private func handOn(to block: inout SampleBlock) {
        block.followsGap = followsGap || missingBeforeTaken > 0
        block.time = session.times[taken]
        (followsGap, missingBeforeTaken) = (false, 0)
        var count = 0
        repeat {
            count += 1
            guard taken + count < captured else { break }
            missingBeforeTaken = missing(before: taken + count)
        } while missingBeforeTaken == 0 && count < block.capacity
        session.scales.fill(&block, from: session.counts, first: taken, count: count)
        session.mount?.rotate(&block)
        taken += count
        if hasWaited { block.waited = max(0, SystemTime.monotonic - session.times[taken - 1]) }
        watchRest(block)
    }

    private func missing(before index: Int) -> Int {
        guard session.isTimestamped else { return 0 }
        return note(missing: clock.missing(before: index, in: session.times, count: captured))
    }

    private func note(missing: Int) -> Int {
        guard missing > 0 else { return 0 }
        lost += Int64(missing)
        gaps += 1
        guard warnedBlock != blocks else { return missing } // one line for a block says enough
        warnedBlock = blocks
        let seconds = Decimals.text(Int64(missing) * 1000, over: rate, places: 2)
        log.warning("\(session.accelerometer.title): \(missing) samples (\(seconds) s) are missing: the machine was asleep or too busy")
        return missing
    }

    // - Parameter isWhole: whether as many came as were waited for.
    private func accept(_ count: Int, isWhole: Bool) {
        (captured, taken, kept, hasDelivered) = (count, 0, nil, true)
        blocks += 1
        if session.mode == .fifo && !isWhole {
            log.warning("\(session.accelerometer.title): its FIFO raises no interrupt in time; a trigger is used meanwhile")
            mode = .triggered
            return leave()
        }
        let slept = SystemTime.asleep - asleep
        asleep += slept
        if slept > 50_000_000 { // the monotonic clock does not tell where in the block it was
            log.notice(
                """
                the machine slept for \(Decimals.text(Int(clamping: slept / 1_000_000), over: 1000, places: 2)) s; the samples around \
                that are left out
                """
            )
            lost += Int64(count)
            captured = 0
            return interrupt()
        }
        if session.isTimestamped {
            clock.begin(session.times, count: count)
            if clock.isUndecided(session.times, count: count) {
                kept = count - 1
                captured -= 1
            }
            missingBeforeTaken = missing(before: 0)
        } else {
            missingBeforeTaken = note(
                missing: clock.missing(
                    beforeBlockOf: count, at: SystemTime.monotonic, block: session.block, waiting: session.blocksInKernel))
        }
        if blocks % 8 == 0 && session.hasOtherScale { return leave(because: -ESTALE) }
        if session.couldBeCheaper && SystemTime.monotonic >= bufferDue {
            mode = .fifo
            return leave()
        }
        watchRate()
    }

    /// It is captured again after a pause.
    func goOn() {
        let error = session.resume(cancel: cancellation.descriptor)
        (captured, taken, kept, missingBeforeTaken, gathered, hasDelivered) = (0, 0, nil, 0, 0, false)
        if error != 0 { leave(because: error) }
        interrupt()
    }

    /// The next block follows a gap.
    private func interrupt() {
        if !followsGap { gaps += 1 }
        followsGap = true
        clock = SampleClock(rate: rate, keeping: clock)
    }

    private func watchRate() {
        guard let measured = clock.recentRate(over: session.isTimestamped ? 2_400_000_000 : 10_000_000_000) else { return }
        let numbers = "\(session.accelerometer.title) samples at \(Self.hertz(measured)) Hz, not \(Self.hertz(rate)) Hz"
        // Without times of their own samples are counted by blocks, whose ends are not sharp.
        switch watch.judge(measured, against: rate, blur: session.isTimestamped ? 2 : 10) {
        case .fine: break
        case .off where selection.measured != nil:
            guard clock.measuredSeconds >= 60, let longer = clock.rate else { break }
            selection.measured = (longer, session.announced)
            log.notice("\(session.accelerometer.title) samples at \(Self.hertz(longer)) Hz, as a longer time tells")
            leave()
        case .off:
            if !warnedRate { log.warning("\(numbers); decisions get worse the further it is off") }
            warnedRate = true
        case .setUpAgain:
            let isAgain = selection.measured != nil
            selection.measured = nil
            log.warning("\(numbers); it is set up again")
            leave(isUnusable: isAgain)
        case .take(let rate):
            selection.measured = (rate, session.announced)
            log.warning("\(numbers), again; it is taken at that rate")
            leave()
        }
    }

    private func watchRest(_ block: SampleBlock) {
        guard !warnedRest, let g = RestCheck.suspicious(block.samples, count: block.count) else { return }
        warnedRest = true
        log.warning(
            """
            \(session.accelerometer.title) lies still and measures \(Decimals.text(g, places: 2)) g instead of 1 g: its scale, unit \
            or mount matrix is wrong, or it needs calibration
            """
        )
    }

    // MARK: when it stops

    func leave(because error: Int32) {
        let title = session.accelerometer.title
        switch -error {
        case ETIMEDOUT where !hasDelivered && session.mode == .fifo:
            log.warning("\(title): its FIFO delivers nothing; a trigger is used meanwhile")
            mode = .triggered
        case ETIMEDOUT where !hasDelivered && session.mode == .triggered:
            log.warning("\(title): its buffer delivers nothing; its attributes are polled meanwhile")
            mode = .polled
        case ETIMEDOUT: log.warning("\(title): no sample came in time; it is set up again")
        case ENODEV:
            log.warning("\(title) is gone; waiting for it to come back")
            (mode, selection.keepsRange) = (.fifo, false)
        case ESTALE:
            log.warning("\(title): another program changed its scale; it is set up again")
            selection.keepsRange = true
        default: log.warning("\(Fault(iio: error, doing: "read from \(title)").message); it is set up again")
        }
        leave(isGone: -error == ENODEV)
    }

    /// - Parameters:
    ///   - isUnusable: setting it up again did not help the last time.
    ///   - isGone: it was pulled out: what is there is another one's.
    private func leave(isUnusable: Bool = false, isGone: Bool = false) {
        if !isGone && session.hasOtherScale { selection.keepsRange = true }
        earlierWakeups += session.wakeups
        endSleep()
        motion = nil
        rest = RestPlan(after: rest.after)
        session.stop()
        (captured, taken, kept, missingBeforeTaken, gathered) = (0, 0, nil, 0, 0)
        isAway = true
        attempts.begin(again: isUnusable)
    }

    private func tryBufferLater() { if session.couldBeCheaper { bufferDue = SystemTime.monotonic + Int64(bufferBackOff.next() * 1e9) } }

    // Tries now and then whether the sensor is there again; in between the caller has time for other things.
    private func returns() -> Bool {
        guard attempts.isDue(unless: cancellation) else { return false }
        do throws(Fault) {
            let (session, mode) = try Self.open(selection, uri: uri, seconds: seconds, latency: latency, mode: mode, cancellation, log)
            adopt(session, mode)
            return true
        } catch {
            if attempts.failed(error) { log.warning("\(error.message)") }
            return false
        }
    }

    private func adopt(_ session: IIOSession, _ mode: CaptureMode) {
        self.session = session
        self.mode = mode
        selection.know(session.accelerometer, among: session.offered)
        (hasDelivered, isAway) = (false, false)
        rate = session.rate
        tryBufferLater()
        interrupt()
        log.notice("reading \(name)")
        checkRange()
    }

    private func checkRange() {
        let device = session.accelerometer
        guard !warnedRange, !device.reaches(selection.range) else { return }
        warnedRange = true
        log.warning("\(device.title): \(device.shortRange(of: selection.range))")
    }

    /// The cheapest way that the driver does not refuse.
    private static func open(
        _ selection: IIOSelection, uri: String?, seconds: Double, latency: Double, mode: CaptureMode, _ cancellation: Stop, _ log: Logger
    ) throws(Fault) -> (IIOSession, mode: CaptureMode) {
        let cancel = cancellation.descriptor
        do throws(Fault) {
            return (try IIOSession(selection, uri: uri, seconds: seconds, latency: latency, mode: mode, cancel: cancel, log: log), mode)
        } catch  where error.condition == .bufferRefused && mode != .polled {
            log.warning("\(error.message)\(mode == .triggered ? "; its attributes are polled instead" : "")")
            return try open(selection, uri: uri, seconds: seconds, latency: latency, mode: mode.next, cancellation, log)
        }
    }

    private static func hertz(_ rate: Int) -> String { Decimals.text(rate, over: 1000, places: 1) }
}

internal import Glibc
package import Logging
package import Support

/// An IIO accelerometer: through its buffer where that works, else by polling its attributes at 50 Hz.
///
/// A sensor that is pulled out is waited for and known again by its name and place; a capture that stalls is set up again; a buffer
/// that never delivers is left for polling. Each such event is logged, and the next block follows a gap. Meanwhile `read` answers
/// about once a second with an empty block.
package final class IIOSource: SampleSource {
    package private(set) var rate: Int
    package let isLive = true

    private let uri: String?
    private let seconds: Double
    private let cancellation: Stop
    private let log: Logger
    private var selection: IIOSelection
    private var session: IIOSession
    private var timeline: SampleClock

    // What the session gave last, and how much of it was handed on.
    private var captured = 0, taken = 0
    private var missingBeforeTaken = 0
    private var followsGap = false
    private var hasDelivered = false, polls = false
    // Between a stop and a return: how often a return was tried, and what the last try said.
    private var isAway = false, tries = 0, fault = RepeatedFault()
    private var blocks = 0, warnedBlock = 0, lost = 0, gaps = 0, earlierWakeups = 0
    private var asleep = IIOSource.timeAsleep
    private var warnedRate = false, warnedRest = false, mendedRate = false

    /// - Parameters:
    ///   - device: name, label, id (`iio:device0`) or number of the device; the first one when nil.
    ///   - uri: libiio's address of another machine, as "ip:HOST"; this machine when nil.
    ///   - rate: to ask for, mHz: the lowest that the device has of at least as much is taken.
    ///   - seconds: how much a block holds; the processor wakes once for it.
    ///   - cancellation: ends a waiting read.
    /// - Throws: `.sensorUnavailable`, `.permission`, each naming the device and what to do.
    package init(
        device: String?, uri: String? = nil, rate: Int = SamplingRates.usual, seconds: Double = 1.28, cancellation: Stop = Stop(),
        log: Logger = Logger(label: "gaitway.sensing")
    ) throws(Fault) {
        let selection = IIOSelection(device: device, rate: rate, known: nil)
        let (session, polls) = try Self.open(selection, uri: uri, seconds: seconds, polled: false, cancellation, log)
        self.uri = uri
        self.seconds = seconds
        self.cancellation = cancellation
        self.log = log
        self.selection = IIOSelection(device: device, rate: rate, known: session.accelerometer)
        self.session = session
        self.polls = polls
        self.rate = session.rate
        timeline = SampleClock(rate: session.rate)
    }

    package var sensor: String {
        let name = session.accelerometer.name
        return name.isEmpty ? "accelerometer" : name
    }

    package var name: String {
        let device = session.accelerometer
        if session.polled { return "\(device.title) polled" }
        return device.trigger.isEmpty
            ? "\(device.title) through its buffer" : "\(device.title) through its buffer, trigger \(device.trigger)"
    }

    package var statistics: SourceStatistics? {
        var statistics = SourceStatistics()
        statistics.lost = lost
        statistics.gaps = gaps
        statistics.wakeups = earlierWakeups + session.wakeups
        statistics.measuredRate = timeline.rate
        return statistics
    }

    package func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        while taken == captured {
            if isAway {
                guard try returns() else { return !cancellation.isRaised }
            }
            let result = session.read()
            if result == -ECANCELED { return false }
            if result > 0 { try accept(Int(result)) } else { leave(because: result) }
        }
        handOn(to: &block)
        return true
    }

    // Up to the next gap, or as much as fits.
    private func handOn(to block: inout SampleBlock) {
        block.followsGap = followsGap || missingBeforeTaken > 0
        block.time = session.times[taken]
        (followsGap, missingBeforeTaken) = (false, 0)
        block.count = 0
        repeat {
            for axis in 0..<3 {
                block.samples[block.count * 3 + axis] = session.scales[axis].q12(session.counts[(taken + block.count) * 3 + axis])
            }
            block.count += 1
            guard taken + block.count < captured else { break }
            missingBeforeTaken = missing(before: taken + block.count)
        } while missingBeforeTaken == 0 && block.count < block.capacity
        session.mount?.rotate(&block)
        taken += block.count
        watchRest(block)
    }

    private func missing(before index: Int) -> Int {
        let missing = timeline.missing(before: index, in: session.times, count: captured)
        if missing > 0 {
            lost += missing
            gaps += 1
            guard warnedBlock != blocks else { return missing } // one line for a block says enough
            warnedBlock = blocks
            let seconds = Decimals.text(Int64(missing) * 1000, over: rate, places: 2)
            log.warning("\(session.accelerometer.title): \(missing) samples (\(seconds) s) are missing: the machine was asleep or too busy")
        }
        return missing
    }

    private func accept(_ count: Int) throws(Fault) {
        (captured, taken, hasDelivered) = (count, 0, true)
        blocks += 1
        let slept = Self.timeAsleep - asleep
        asleep += slept
        if slept > 50_000_000 { // the monotonic clock does not tell where in the block it was
            log.notice(
                """
                the machine slept for \(Decimals.text(Int(clamping: slept / 1_000_000), over: 1000, places: 2)) s; the samples around \
                that are left out
                """
            )
            lost += count
            captured = 0
            return interrupt()
        }
        missingBeforeTaken = missing(before: 0)
        if blocks % 8 == 0 && session.hasOtherScale {
            log.warning("\(session.accelerometer.title): another program changed its scale; it is set up again")
            return leave()
        }
        try watchRate()
    }

    /// The next block follows a gap.
    private func interrupt() {
        if !followsGap { gaps += 1 }
        followsGap = true
        timeline = SampleClock(rate: rate, keeping: timeline)
    }

    private func watchRate() throws(Fault) {
        guard let measured = timeline.recentRate(over: session.isTimestamped ? 2.4 : 10) else { return }
        let off = abs(measured - rate), numbers = "\(Self.hertz(measured)) Hz, not \(Self.hertz(rate)) Hz"
        if off * 5 > rate {
            guard !mendedRate else {
                throw Fault(
                    .sensorUnavailable, "\(session.accelerometer.title) samples at \(numbers)",
                    remedy: "Decisions would be wrong. Is its trigger shared, or the bus too slow? See the trigger's sampling_frequency.")
            }
            mendedRate = true
            log.warning("\(session.accelerometer.title) samples at \(numbers); it is set up again")
            leave()
        } else if off * 50 > rate {
            if !warnedRate {
                log.warning("\(session.accelerometer.title) samples at \(numbers); decisions get worse the further it is off")
            }
            warnedRate = true
        } else {
            mendedRate = false
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

    private func leave(because error: Int32) {
        let title = session.accelerometer.title
        switch -error {
        case ETIMEDOUT where !hasDelivered && !session.polled:
            log.warning("\(title): its buffer delivers nothing; its attributes are polled instead")
            polls = true
        case ETIMEDOUT: log.warning("\(title): no sample came in time; it is set up again")
        case ENODEV:
            log.warning("\(title) is gone; waiting for it to come back")
            polls = false
        default: log.warning("\(Fault(iio: error, doing: "read from \(title)").message); it is set up again")
        }
        leave()
    }

    private func leave() {
        earlierWakeups += session.wakeups
        session.stop()
        (captured, taken) = (0, 0)
        (isAway, tries, fault) = (true, 0, RepeatedFault())
    }

    // Tries once a second whether the sensor is there again; in between the caller has time for other things.
    private func returns() throws(Fault) -> Bool {
        if tries > 0 && cancellation.isRaised(within: 1000) { return false }
        tries += 1
        do throws(Fault) {
            let (session, polls) = try Self.open(selection, uri: uri, seconds: seconds, polled: polls, cancellation, log)
            adopt(session, polls)
            return true
        } catch {
            if fault.isNew(error.message) { log.warning("\(error.message)") }
            return false
        }
    }

    private func adopt(_ session: IIOSession, _ polls: Bool) {
        self.session = session
        self.polls = polls
        selection.known = session.accelerometer
        (hasDelivered, isAway) = (false, false)
        rate = session.rate
        interrupt()
        log.notice("reading \(name)")
    }

    /// Through the buffer, or polled when the driver refuses that.
    private static func open(
        _ selection: IIOSelection, uri: String?, seconds: Double, polled: Bool, _ cancellation: Stop, _ log: Logger
    ) throws(Fault) -> (IIOSession, polls: Bool) {
        let cancel = cancellation.descriptor
        do throws(Fault) {
            return (try IIOSession(selection, uri: uri, seconds: seconds, polled: polled, cancel: cancel, log: log), polled)
        } catch  where error.condition == .bufferRefused && !polled {
            log.warning("\(error.message); its attributes are polled instead")
            return (try IIOSession(selection, uri: uri, seconds: seconds, polled: true, cancel: cancel, log: log), true)
        }
    }

    // ns for which the machine was suspended since it started.
    private static var timeAsleep: Int64 { SystemTime.sinceBoot - SystemTime.monotonic }

    private static func hertz(_ rate: Int) -> String { Decimals.text(rate, over: 1000, places: 1) }
}

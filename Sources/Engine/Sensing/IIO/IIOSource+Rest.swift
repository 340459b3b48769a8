internal import Glibc
internal import Logging
internal import Support

/// A sensor that nothing moves sleeps until its driver tells of movement.
extension IIOSource {
    /// A block was handed on.
    func considerRest(_ block: SampleBlock) {
        guard !session.accelerometer.motion.isEmpty else { return }
        let duration = Int64(block.count) * 1_000_000_000_000 / Int64(rate)
        switch rest.take(range: block.range, duration: duration, event: { motion?.take() ?? false }) {
        case .goOn: break
        case .watch:
            motion = session.openMotion()
            if motion == nil { rest.refute() }
        case .stopWatching:
            motion = nil
            if rest.trust == .refuted {
                log.notice("\(session.accelerometer.title): its events for movement do not come; it is sampled all the time")
            }
        case .sleep:
            motion = session.openMotion()
            guard motion != nil else { return rest.refute() }
            earlierWakeups += session.wakeups
            session.pause(slowly: slowRest.trust != .refuted)
            slowRest.begin(isSlow: session.isResting)
            sleep = (SystemTime.monotonic, false)
            log.info("\(session.accelerometer.title): nothing moves it; it sleeps until something does")
        }
    }

    /// Waits for movement, at most until it is time to look; nothing is captured meanwhile.
    ///
    /// - Returns: whether nothing moved.
    func staysAsleep() -> Bool {
        guard let now = sleep else { return false }
        guard now.isTold else {
            sleep?.isTold = true
            return true
        }
        earlierWakeups += 1
        let result = motion?.wait(slowRest.nextLook(), unless: cancellation, or: attention) ?? -ENODEV
        if result == -ECANCELED || result == 0 && !hasTurned { return true }
        if session.isResting && result >= 0 {
            slowRest.end(byEvent: result > 0)
            if result == 0 { log.notice("\(session.accelerometer.title): its events do not come at a low rate; it sleeps at its own") }
        }
        if result == -EAGAIN { attention?.wait(milliseconds: 0) }
        guard result >= 0 || result == -EAGAIN else {
            leave(because: result)
            return false
        }
        rest.woke(after: SystemTime.monotonic - now.since)
        endSleep()
        motion = nil
        goOn()
        return false
    }

    func endSleep() {
        if let sleep { sleptBefore += SystemTime.monotonic - sleep.since }
        sleep = nil
    }

    // A change too slow for an event.
    private var hasTurned: Bool {
        guard let reading = session.accelerometer.reading, captured > 0 else { return false }
        return (0..<3).contains { axis in
            abs(Int(reading[axis]) - Int(session.scales.q12(session.counts[(captured - 1) * 3 + axis], axis: axis))) > Self.turned
        }
    }

    /// Q3.12 g.
    private static let turned = 614 // 0.15 g
}

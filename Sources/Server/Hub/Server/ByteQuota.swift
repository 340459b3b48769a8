internal import Synchronization

/// So many bytes an hour of each board; what is left of the hour before does not add up.
final class ByteQuota: Sendable {
    private struct Hour {
        var began: Double
        var bytes: Int
    }

    private let hours = Mutex<[String: Hour]>([:])
    private let perHour: Int

    init(perHour: Int) { self.perHour = perHour }

    /// Seconds until the board may send again; nil when these bytes are taken.
    ///
    /// - Parameter now: seconds.
    func wait(_ board: String, bytes: Int, now: Double) -> Int? {
        hours.withLock { hours in
            var hour = hours[board] ?? Hour(began: now, bytes: 0)
            if now - hour.began >= 3600 || now < hour.began { hour = Hour(began: now, bytes: 0) }
            guard hour.bytes + bytes <= perHour else { return max(1, Int(hour.began + 3600 - now)) }
            hour.bytes += bytes
            hours[board] = hour
            return nil
        }
    }

    /// Forgets boards whose hour has passed.
    func tidy(_ now: Double) { hours.withLock { $0 = $0.filter { now - $0.value.began < 3600 } } }
}

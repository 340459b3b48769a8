internal import CProcess
internal import Glibc

/// How long a piece of work takes on this machine.
package enum Stopwatch {
    /// The median over 101 rounds of the time of one call, in ns.
    package static func median(_ body: () -> Void) -> Double {
        let clock = ContinuousClock()
        func time(_ calls: Int) -> Double {
            let spent = clock.measure { for _ in 0..<calls { body() } }
            return (Double(spent.components.seconds) * 1e9 + Double(spent.components.attoseconds) * 1e-9) / Double(calls)
        }
        let calls = max(1, Int(2e5 / max(time(3), 1))) // rounds of about 0.2 ms
        return (0..<101).map { _ in time(calls) }.sorted()[50]
    }

    /// Instructions of one call, the mean of 100; nil where the processor's counter cannot be read.
    package static func instructions(_ body: () -> Void) -> Double? {
        let counter = gw_counter_open()
        guard counter >= 0 else { return nil }
        defer { close(counter) }
        let before = gw_counter_read(counter)
        for _ in 0..<100 { body() }
        let after = gw_counter_read(counter)
        return before >= 0 && after > before ? Double(after - before) / 100 : nil
    }
}

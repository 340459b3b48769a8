import Runtime
import Sensing
import Support

extension Statistics {
    /// One line for people.
    var text: String {
        var parts = ["\(samples) samples, \(windows) decisions"]
        if let windowsByFirst { parts.append("\(windowsByFirst) by the first network alone") }
        if let source {
            parts.append("\(source.lost) lost, \(source.gaps) gaps")
            if let rate = source.measuredRate { parts.append("\(Decimals.text(rate, over: 1000, places: 2)) Hz measured") }
        }
        if let wakeupsPerSecond { parts.append("\(Decimals.text(wakeupsPerSecond, places: 2)) wake-ups/s") }
        if let interruptsPerSecond { parts.append("\(Decimals.text(interruptsPerSecond, places: 2)) interrupts/s") }
        if let joules = kernel.joules { parts.append("\(Decimals.text(joules, places: 1)) J of the whole machine") }
        if secondsAsleep > 0 { parts.append("asleep for \(Decimals.text(secondsAsleep, places: 0)) s") }
        if samples > 0 { parts.append("\(Decimals.text(processorSecondsPerHour, places: 2)) CPU s per hour of samples") }
        parts.append("\(Decimals.text(peakMemory, over: 1 << 20, places: 1)) MB peak")
        return parts.joined(separator: "; ")
    }

    var json: JSON {
        .object([
            ("samples", .integer(samples)), ("windows", .integer(windows)),
            ("windows_by_first", windowsByFirst.map { .integer($0) } ?? .null),
            ("seconds", .number(Decimals.text(seconds, places: 2))),
            ("lost", .integer(source?.lost ?? 0)), ("gaps", .integer(source?.gaps ?? 0)),
            ("measured_rate", source?.measuredRate.map { .number(Decimals.text($0, over: 1000, places: 3)) } ?? .null),
            ("wakeups_per_second", wakeupsPerSecond.map { .number(Decimals.text($0, places: 3)) } ?? .null),
            ("interrupts_per_second", interruptsPerSecond.map { .number(Decimals.text($0, places: 3)) } ?? .null),
            ("context_switches_per_second", switchesPerSecond.map { .number(Decimals.text($0, places: 3)) } ?? .null),
            ("joules", kernel.joules.map { .number(Decimals.text($0, places: 3)) } ?? .null),
            ("seconds_asleep", .number(Decimals.text(secondsAsleep, places: 2))),
            ("cpu_seconds_per_hour", .number(Decimals.text(processorSecondsPerHour, places: 3))),
            ("peak_memory_bytes", .integer(peakMemory)),
        ])
    }
}

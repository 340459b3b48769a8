internal import Glibc
internal import NeuralNetwork
package import Recognition
package import Sensing

/// What a run took and gave.
package struct Statistics: Sendable, Equatable {
    package var samples: Int64
    package var windows: Int64
    /// Of them, what a model's first network decided by itself; nil where it has none.
    package var windowsByFirst: Int64?
    /// Of samples, by their own count.
    package var seconds: Double
    package var source: SourceStatistics?
    /// The most memory that was ever resident, in bytes.
    package var peakMemory: Int
    /// Since the run began.
    package var kernel: KernelWork
    /// For which the sensor slept, beside those of samples.
    package var secondsAsleep: Double

    /// - Parameter before: the kernel's work when the run began.
    package init(of loop: borrowing ClassificationLoop, since before: KernelWork) {
        samples = loop.samples
        windows = loop.windows
        windowsByFirst = loop.network.first == nil ? nil : loop.windowsByFirst
        seconds = Double(loop.samples) * 1000 / Double(loop.source.rate)
        source = loop.source.statistics
        secondsAsleep = Double(source?.asleep ?? 0) * 1e-9
        kernel = KernelWork.now(of: loop.source.interrupts).since(before)
        var usage = rusage()
        unsafe getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        peakMemory = Int(usage.ru_maxrss) * 1024
    }

    package var processorSecondsPerHour: Double { seconds > 0 ? kernel.processorSeconds * 3600 / (seconds + secondsAsleep) : 0 }

    /// Of the reading thread; nil where there is no sensor.
    package var wakeupsPerSecond: Double? { perSecond(source?.wakeups) }
    /// Of chip, trigger and bus; nil where there is no sensor, or the kernel names none of them.
    package var interruptsPerSecond: Double? { perSecond(kernel.interrupts) }
    /// Of the whole process; nil where there is no sensor.
    package var switchesPerSecond: Double? { perSecond(kernel.switches) }

    private func perSecond(_ count: Int64?) -> Double? {
        guard source != nil, let count, seconds + secondsAsleep > 0 else { return nil }
        return Double(count) / (seconds + secondsAsleep)
    }
}

internal import Glibc
public import Sensing

/// What a run took and gave.
public struct Statistics: Sendable, Equatable {
    public var samples: Int
    public var windows: Int
    /// Of samples, by their own count.
    public var seconds: Double
    public var source: SourceStatistics?
    /// Of the whole process, user and system.
    public var processorSeconds: Double
    /// The most memory that was resident, in bytes.
    public var peakMemory: Int

    public init(of loop: borrowing ClassificationLoop) {
        samples = loop.samples
        windows = loop.windows
        seconds = Double(loop.samples) * 1000 / Double(loop.source.rate)
        source = loop.source.statistics
        var usage = rusage()
        unsafe getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        func time(_ t: timeval) -> Double { Double(t.tv_sec) + Double(t.tv_usec) * 1e-6 }
        processorSeconds = time(usage.ru_utime) + time(usage.ru_stime)
        peakMemory = Int(usage.ru_maxrss) * 1024
    }

    public var processorSecondsPerHour: Double { seconds > 0 ? processorSeconds * 3600 / seconds : 0 }

    /// Of the reading thread; nil where there is no sensor.
    public var wakeupsPerSecond: Double? {
        guard let source, seconds > 0 else { return nil }
        return Double(source.wakeups) / seconds
    }
}

package import Support

/// A run of samples at a source's own rate, in memory that is used again for every block.
package struct SampleBlock: Sendable {
    /// x, y, z interleaved, Q3.12 g (1 LSB = 1/4096 g, saturating at +-8 g). The first `count * 3` are valid.
    package var samples: [Int16]
    /// How many samples are valid.
    package var count = 0
    /// Monotonic time of the first sample in ns; for recordings and the simulated wearer, time since their start.
    package var time: Int64 = 0
    /// Whether samples are missing before this block, so that no window may straddle its start.
    package var followsGap = false
    /// How many samples the next decision needs; 0: that does not matter. A sensor ends its blocks there where it can.
    package var wanted = 0
    /// For how long its last sample waited for those after it, ns (``SampleSource/gather(_:)``).
    package var waited: Int64 = 0
    /// Whether the sensor sleeps until something moves it, so that there are no samples; `time` is the present then.
    package var isStill = false

    /// From lowest to highest of the widest axis, Q3.12 g.
    package var range: Int {
        var widest = 0
        for axis in 0..<3 where count > 0 {
            var lowest = samples[axis], highest = lowest
            for index in 1..<max(1, count) {
                lowest = min(lowest, samples[index * 3 + axis])
                highest = max(highest, samples[index * 3 + axis])
            }
            widest = max(widest, Int(highest) - Int(lowest))
        }
        return widest
    }

    /// How many samples to wait for where at most `block` come together, so that one of the blocks ends with the one that a decision
    /// needs, `missing` samples ahead; a whole block where that does not matter.
    static func part(of block: Int, missing: Int) -> Int {
        guard missing > 0 else { return block }
        // A few samples do not show whether some are missing between them.
        let part = (missing - 1) % block + 1
        return part < fewest && missing > block ? min(fewest, block) : part
    }

    private static let fewest = 4

    /// Room for `capacity` samples.
    package init(capacity: Int) { samples = [Int16](repeating: 0, count: capacity * 3) }

    package var capacity: Int { samples.count / 3 }
}

/// Something that gives accelerometer samples: an IIO device, a recording, a simulated wearer.
package protocol SampleSource: AnyObject {
    /// What a person should read about it: "lis3dh through its buffer".
    var name: String { get }
    /// What it is called under whatever number and however it is read: "lis3dh".
    var sensor: String { get }
    /// All that a user may call it, where it is a sensor: its name, label, id and number.
    var names: [String] { get }
    /// Sampling rate in mHz. It may change where a block follows a gap.
    var rate: Int { get }
    /// Whether samples come at their own pace. Others are played as fast as they are asked for.
    var isLive: Bool { get }
    /// What a live source knows about how well it goes; nil for others.
    var statistics: SourceStatistics? { get }
    /// How it is worn, where the source knows that.
    var wearing: ConfiguredWearing? { get }

    /// Fills a block, waiting for it when the source is live. The block is empty while a sensor is away.
    ///
    /// - Returns: false at the end or when asked to stop, with no sample in the block.
    /// - Throws: `.sensorUnavailable` when a device stops answering, `.badData` when a recording is broken.
    func read(into block: inout SampleBlock) throws(Fault) -> Bool

    /// From now on its reader wants samples for `seconds` at once; a sensor wakes the processor that often.
    func useBlocks(of seconds: Double)

    /// A sensor that nothing moved for `duration` (ns) may sleep until something does; nil: it must not.
    func sleep(afterStill duration: Int64?)
    /// Samples may wait for each other for as long as the source was opened with, so that the processor wakes once for all.
    func gather(_ isAllowed: Bool)
    /// Whether samples that waited for each other are still to be read.
    var isBehind: Bool { get }
    /// Ends a sleep of the sensor, from any thread; nil where it does not sleep.
    var attention: WakeEvent? { get }
    /// Under which names the kernel counts its interrupts.
    var interrupts: [String] { get }
}

extension SampleSource {
    package var sensor: String { name }
    package var names: [String] { [] }
    package var statistics: SourceStatistics? { nil }
    package var wearing: ConfiguredWearing? { nil }
    package func useBlocks(of seconds: Double) {}
    package func sleep(afterStill duration: Int64?) {}
    package func gather(_ isAllowed: Bool) {}
    package var isBehind: Bool { false }
    package var attention: WakeEvent? { nil }
    package var interrupts: [String] { [] }
}

/// How well a live source goes.
package struct SourceStatistics: Sendable, Equatable {
    /// Samples that did not arrive though the sensor was there.
    package var lost: Int64 = 0
    /// How often the stream was interrupted.
    package var gaps: Int64 = 0
    /// How often the reading thread was woken.
    package var wakeups: Int64 = 0
    /// For how long the sensor slept because nothing moved it, ns.
    package var asleep: Int64 = 0
    /// Samples a second as their times tell, in mHz.
    package var measuredRate: Int?

    package init() {}
}

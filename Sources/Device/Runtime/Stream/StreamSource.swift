internal import Sensing
internal import Support

/// The samples of a sensor that another gaitway has, through its local stream.
final class StreamSource: SampleSource {
    /// A block waits for no longer than this before the sensor counts as away, ms.
    private static let patience = 5000

    // ns: 146 years, so that what is added to it fits.
    private static let latest: Int64 = 1 << 62

    let name: String
    let sensor: String
    let names: [String]
    let isLive = true
    private(set) var rate: Int

    private let stream: StreamConnection
    private let cancellation: Stop
    // x, y, z interleaved, Q3.12 g; those before `taken` were handed on.
    private var samples: [Int16] = [], taken = 0
    private var time: Int64 = 0
    private var followsGap = false
    // Whether lines were not taken in time, and with them samples.
    private var hasLost = false
    // When the sample after the latest block is due, ns; nil before the first one.
    private var due: Int64?
    private var lost: Int64 = 0, gaps: Int64 = 0

    /// - Throws: `.noInput` when no gaitway runs there, `.temporary` while it has no sensor, `.sensorUnavailable` when it reads another one
    ///   or none.
    init(at path: String, device: String?, cancellation: Stop) throws(Fault) {
        stream = try StreamConnection([.samples], at: path)
        self.cancellation = cancellation
        guard !stream.isOwn, case .event(let hello, _) = try stream.next(within: Self.patience, unless: cancellation),
            hello["format"]?.number == 1, let name = hello["source"]?.text, let sensor = hello["sensor"]?.text,
            let rate = hello["rate"]?.number.flatMap({ Int(exactly: $0) }), SamplingRates.usable.contains(rate)
        else { throw Fault(.sensorUnavailable, "the running gaitway gives no samples") }
        var names: [String] = []
        if case .array(let found)? = hello["names"] { names = found.compactMap(\.text) }
        guard hello["live"] == true, device.map({ device in names.contains { $0 == device } }) ?? !names.isEmpty else {
            throw Fault(.sensorUnavailable, "the running gaitway reads \(name)")
        }
        self.name = "\(name), which another gaitway reads"
        (self.sensor, self.names, self.rate) = (sensor, names, rate)
    }

    var statistics: SourceStatistics? {
        var statistics = SourceStatistics()
        (statistics.lost, statistics.gaps, statistics.measuredRate) = (lost, gaps, rate)
        return statistics
    }

    /// - Throws: `.temporary` when the other program has ended.
    func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        while taken == samples.count {
            switch try stream.next(within: Self.patience, unless: cancellation) {
            case .event(let event, _): try accept(event)
            case .none: return true
            case .cancelled: return false
            case .end: throw Fault(.temporary, "the gaitway that reads the sensor has ended")
            }
        }
        block.count = min(block.capacity, (samples.count - taken) / 3)
        for index in 0..<block.count * 3 { block.samples[index] = samples[taken + index] }
        block.time = time + Int64(taken / 3) * 1_000_000_000_000 / Int64(rate)
        block.followsGap = followsGap
        followsGap = false
        taken += block.count * 3
        return true
    }

    private func accept(_ event: JSONValue) throws(Fault) {
        switch event["event"]?.text {
        case "lost":
            interrupt()
            hasLost = true
        case "samples":
            guard let rate = event["rate"]?.number.flatMap({ Int(exactly: $0) }), SamplingRates.usable.contains(rate),
                let time = event["time"]?.number.flatMap({ Int64(exactly: $0) }), (0...Self.latest).contains(time),
                case .array(let values)? = event["xyz"],
                values.count % 3 == 0, values.count <= 3 * 4096
            else { throw Fault(.badData, "the stream's samples cannot be read") }
            samples = values.compactMap { $0.number.flatMap { Int16(exactly: $0) } }
            guard samples.count == values.count else { throw Fault(.badData, "the stream's samples are no 16-bit numbers") }
            if event["gap"] == true || rate != self.rate { interrupt() }
            if hasLost, let due { lost += Self.samples(in: time - due, rate) }
            hasLost = false
            (self.rate, self.time, taken) = (rate, time, 0)
            due = time + Int64(samples.count / 3) * 1_000_000_000_000 / Int64(rate)
        default: break
        }
    }

    // Of a gap in ns; a day at most.
    private static func samples(in gap: Int64, _ rate: Int) -> Int64 {
        let milliseconds = min(max(0, gap / 1_000_000), 86_400_000)
        return (milliseconds * Int64(rate) + 500_000) / 1_000_000
    }

    private func interrupt() {
        if !followsGap { gaps += 1 }
        followsGap = true
    }
}

package import Logging
package import Sensing
package import Support

/// A sensor that may be another gaitway's: read from the kernel when it is free, else through the stream of the program that has it.
package final class SharedSensor: SampleSource {
    private let open: () throws(Fault) -> any SampleSource
    private let cancellation: Stop
    private let log: Logger
    private var source: any SampleSource
    private var isAway = false, followsGap = false
    private var fault = RepeatedFault()

    /// What the user named, and for a sensor that another gaitway has that one's samples.
    ///
    /// - Throws: those of the source.
    package static func open(
        _ chosen: SourceSpecification, cancellation: Stop, log: Logger, rate: Int = SamplingRates.usual, blocksOf seconds: Double = 1.28,
        latency: Double = 0
    ) throws(Fault) -> any SampleSource {
        guard case .iio(let device, nil) = chosen else {
            return try chosen.open(cancellation: cancellation, log: log, rate: rate, blocksOf: seconds, latency: latency)
        }
        let source = try openEither(chosen, device, cancellation, log, rate, seconds, latency)
        guard source is StreamSource else { return source }
        return SharedSensor(source, cancellation, log) { () throws(Fault) in
            try openEither(chosen, device, cancellation, log, rate, seconds, latency)
        }
    }

    /// Whether the samples come from another program.
    package static func isShared(_ source: any SampleSource) -> Bool { (source as? SharedSensor)?.source is StreamSource }

    private static func openEither(
        _ chosen: SourceSpecification, _ device: String?, _ cancellation: Stop, _ log: Logger, _ rate: Int, _ seconds: Double,
        _ latency: Double
    ) throws(Fault) -> any SampleSource {
        do throws(Fault) {
            return try chosen.open(cancellation: cancellation, log: log, rate: rate, blocksOf: seconds, latency: latency)
        } catch  where error.condition == .sensorBusy {
            for path in ControlSocket.paths {
                if let source = try? StreamSource(at: path, device: device, cancellation: cancellation) { return source }
            }
            throw error
        }
    }

    private init(_ source: any SampleSource, _ cancellation: Stop, _ log: Logger, _ open: @escaping () throws(Fault) -> any SampleSource) {
        (self.source, self.cancellation, self.log, self.open) = (source, cancellation, log, open)
    }

    package var name: String { source.name }
    package var sensor: String { source.sensor }
    package var names: [String] { source.names }
    package var rate: Int { source.rate }
    package let isLive = true
    package var statistics: SourceStatistics? { source.statistics }

    package func useBlocks(of seconds: Double) { source.useBlocks(of: seconds) }
    package func gather(_ isAllowed: Bool) { source.gather(isAllowed) }
    package var isBehind: Bool { source.isBehind }

    /// The block is empty, after a second, while neither gives samples.
    package func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        if isAway {
            guard !cancellation.isRaised(within: 1000) else { return false }
            guard returns() else { return true }
        }
        do throws(Fault) {
            guard try source.read(into: &block) else { return false }
        } catch  where source is StreamSource {
            log.notice("\(error.message); the sensor is read from the kernel")
            (isAway, followsGap) = (true, true)
            return true
        }
        if block.count > 0 && followsGap { (block.followsGap, followsGap) = (true, false) }
        return true
    }

    private func returns() -> Bool {
        do throws(Fault) {
            source = try open()
        } catch {
            if fault.isNew(error.message) { log.warning("\(error.message)") }
            return false
        }
        fault.clear()
        isAway = false
        log.notice("reading \(source.name)")
        return true
    }
}

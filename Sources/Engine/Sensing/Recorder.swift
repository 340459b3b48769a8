package import Support

/// Takes a stretch of samples from a source, as it is: without filter, at the source's own rate.
package struct Recorder {
    /// What there is so far, for who watches.
    package struct Progress {
        /// The latest samples, x, y, z interleaved, Q3.12 g.
        package var latest: ArraySlice<Int16>
        /// So far and in the end.
        package var count: Int, total: Int
        /// As the samples' times tell, mHz.
        package var rate: Int
    }

    private let source: any SampleSource
    private let isPaced: Bool

    /// - Parameter speed: of a source that has no pace of its own.
    package init(_ source: any SampleSource, speed: Speed = .real) {
        self.source = source
        isPaced = !source.isLive && speed == .real
    }

    /// Lets `seconds` of samples go by: those that a sensor gives while nobody is ready.
    package func skip(seconds: Double, stopping: () -> Bool) throws(Fault) { _ = try take(seconds, { _ in }, stopping: stopping) }

    /// `seconds` of samples without a gap.
    ///
    /// - Throws: `.sensorUnavailable` when samples were lost on the way, `.badData` when the source ends before; the source's own.
    /// - Returns: nil when `stopping` said so.
    package func record(
        _ label: String, seconds: Double, watch: (Progress) throws(Fault) -> Void = { _ in }, stopping: () -> Bool = { false }
    ) throws(Fault) -> Recording? {
        guard let samples = try take(seconds, watch, stopping: stopping) else { return nil }
        return Recording(label: label, rate: source.rate, samples: samples)
    }

    private func take(
        _ seconds: Double, _ watch: (Progress) throws(Fault) -> Void, stopping: () -> Bool
    ) throws(Fault) -> [Int16]? {
        let rate = source.rate, total = max(1, Int((seconds * Double(rate) / 1000).rounded()))
        var block = SampleBlock(capacity: max(1, rate / 10_000)), samples: [Int16] = [], first: Int64?
        let pacer = isPaced ? Pacer(rate: rate) : nil
        while samples.count < total * 3 {
            guard !stopping(), try source.read(into: &block) else {
                if stopping() { return nil }
                throw Fault(
                    .badData,
                    """
                    \(source.name) ended after \(Decimals.text(Int64(samples.count / 3) * 1000, over: rate, places: 1)) of \
                    \(Decimals.text(seconds, places: 1)) s
                    """
                )
            }
            guard block.count > 0 else {
                if samples.isEmpty { continue } // a sensor that is awaited
                throw Self.interrupted(source)
            }
            if block.followsGap && !samples.isEmpty || source.rate != rate { throw Self.interrupted(source) }
            first = first ?? block.time
            samples += block.samples.prefix(block.count * 3)
            pacer?.wait(samples: samples.count / 3, unless: stopping)
            let count = min(samples.count / 3, total), elapsed = block.time - (first ?? 0), before = samples.count / 3 - block.count
            let measured = elapsed > 0 ? Int(Int64(before) * 1_000_000_000_000 / elapsed) : rate
            try watch(Progress(latest: samples[max(0, samples.count - block.count * 3)...], count: count, total: total, rate: measured))
        }
        return Array(samples.prefix(total * 3))
    }

    private static func interrupted(_ source: any SampleSource) -> Fault {
        Fault(
            .sensorUnavailable, "samples of \(source.name) were lost in the middle of the recording, so it was not kept",
            remedy: "Record again. Where it comes back: a cable (gaitway doctor), or a processor that has too much else to do.")
    }
}

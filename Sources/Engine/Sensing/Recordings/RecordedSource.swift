package import Logging
package import Support

/// Plays a recording, or every recording of a directory with a gap between two.
package final class RecordedSource: SampleSource {
    package let name: String
    package let rate: Int
    package let isLive = false

    private enum Part {
        case counts(path: String, Scale)
        /// Behind a gap of so many samples.
        case samples([Int16], after: Int64)
    }

    private var parts: [Part]
    private var nextPart = 0
    private var current: [Int16] = []
    private var position = 0
    private var played: Int64 = 0
    /// Gets at most one message, of a recording's scale.
    private var log: Logger?

    /// An `.i16` or `.txt` recording of the HAPT layout, a directory of them, an `.i16` file of a recording set, or a CSV file with the
    /// header `time,x,y,z` or what `gaitway record` writes.
    ///
    /// - Parameter log: gets a warning where a recording does not measure 1 g at rest.
    /// - Throws: `.noInput` when there is none, `.badData` when it is not one.
    package init(path: String, log: Logger? = nil) throws(Fault) {
        self.log = log
        name = "recording \(path)"
        if Files.isDirectory(path) {
            let scale = try Self.scaleOfHAPT()
            parts = try HAPTRecordings(directory: path).recordings.map { .counts(path: $0.path, scale) }
            rate = 50_000
        } else if path.hasSuffix(".csv") {
            let recording = try CSVRecording(path: path)
            parts = recording.parts.map { .samples($0.samples, after: $0.missing) }
            rate = recording.rate
        } else if let set = Self.set(of: path) {
            let properties = try RecordingSet.properties(of: set)
            parts = [.counts(path: path, properties.scale)]
            rate = properties.rate
        } else if HAPTRecordings.isRecording(path) || !Files.exists(path) {
            parts = [.counts(path: path, try Self.scaleOfHAPT())]
            rate = 50_000
        } else {
            throw Fault(
                .badData, "\(path) is not a recording",
                remedy:
                    """
                    Known are .i16 and .txt as in the HAPT data set, directories of them, and .csv with time,x,y,z or \
                    time,accelx,accely,accelz.
                    """
            )
        }
        try open() // a missing file is said at once
    }

    /// Samples that are there already: Q3.12 g, x, y, z interleaved.
    ///
    /// - Parameter rate: mHz.
    package init(_ samples: [Int16], rate: Int, name: String) {
        (self.name, self.rate, parts, current) = (name, rate, [], samples)
    }

    package func read(into block: inout SampleBlock) throws(Fault) -> Bool {
        block.count = 0
        block.followsGap = false
        while position == current.count {
            guard nextPart < parts.count else { return false }
            try open()
            block.followsGap = played > 0
        }
        block.count = min(block.capacity, (current.count - position) / 3)
        block.time = played / Int64(rate) * 1_000_000_000_000 + played % Int64(rate) * 1_000_000_000_000 / Int64(rate)
        for i in 0..<block.count * 3 { block.samples[i] = current[position + i] }
        position += block.count * 3
        played += Int64(block.count)
        return true
    }

    private func open() throws(Fault) {
        switch parts[nextPart] {
        case .samples(let samples, let missing):
            current = samples
            played += missing
        case .counts(let path, let scale): current = try HAPTRecordings.counts(path: path).map { scale.q12(Int32($0)) }
        }
        nextPart += 1
        position = 0
        checkScale()
    }

    private func checkScale() {
        guard let waiting = log, let warning = RestCheck.warning(name, [current], rate: rate) else { return }
        waiting.warning("\(warning)")
        log = nil
    }

    // The directory of the set that a recording is of, where it has one.
    private static func set(of path: String) -> String? {
        guard path.hasSuffix(".i16"), Files.exists(path) else { return nil }
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return Files.exists("\(directory)/set.csv") ? directory : nil
    }

    private static func scaleOfHAPT() throws(Fault) -> Scale { try Scale(ratio: 1, 720) }

    /// HAPT counts (1/720 g) as Q3.12 g.
    package static func q12(_ counts: [Int16]) throws(Fault) -> [Int16] {
        let scale = try scaleOfHAPT()
        return counts.map { scale.q12(Int32($0)) }
    }
}

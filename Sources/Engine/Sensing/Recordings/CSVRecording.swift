internal import Support

/// A recording as text: a header, then a row a sample of seconds and g.
struct CSVRecording {
    /// x, y, z interleaved, Q3.12 g.
    let samples: [Int16]
    /// Sampling rate in mHz, from the times between which nothing is missing.
    let rate: Int
    /// Where samples are missing.
    let gaps: [Gap]

    struct Gap: Equatable {
        /// The first sample behind it.
        var index: Int
        /// Seconds from the sample before.
        var seconds: Double
    }

    // A gap is as long as so many samples, and longer than phones keep samples back; where one comes that often, none is.
    private static let longest = (steps: 5.0, seconds: 2.0), fewestBetween = 500
    // Ten years: times beyond are no times.
    private static let mostSeconds = 3.2e8

    static let columns = ["time", "x", "y", "z"]

    init(path: String) throws(Fault) {
        let bytes = try Files.read(path, limit: 64 << 20)
        try self.init(bytes: bytes, path: path, columns: RecordingFormat.guess(bytes) == .iphone ? SwiftHARFile.columns : Self.columns)
    }

    init(bytes: [UInt8], path: String, columns: [String] = columns) throws(Fault) {
        let table = try CSVTable(bytes, path: path, columns: columns)
        guard table.rows.count >= 2 else { throw Fault(.badData, "\(path) holds fewer than two samples") }
        var samples: [Int16] = [], times: [Double] = []
        for row in table.rows {
            guard let time = Double(row.cells[0]), time.isFinite, time > times.last ?? -.infinity else {
                throw Fault(.badData, "\(path):\(row.line): the time \"\(row.cells[0])\" does not follow the one before")
            }
            times.append(time)
            for cell in row.cells[1...] {
                guard let value = q12(decimal: cell) else {
                    throw Fault(.badData, "\(path):\(row.line): \"\(cell)\" is not an acceleration in g")
                }
                samples.append(value)
            }
        }
        let steps = zip(times.dropFirst(), times).map { $0 - $1 }, span = times[times.count - 1] - times[0]
        guard span < Self.mostSeconds else {
            throw Fault(.badData, "\(path) goes over \(span) s", remedy: "Is the time in seconds?")
        }
        let limit = max(Self.longest.steps * steps.sorted()[steps.count / 2], Self.longest.seconds)
        let long = steps.enumerated().filter { $1 > limit }.map { Gap(index: $0 + 1, seconds: $1) }
        gaps = long.count <= max(1, steps.count / Self.fewestBetween) ? long : []
        let missing = gaps.reduce(0) { $0 + $1.seconds }
        rate = try Self.rate(Double(steps.count - gaps.count) / (span - missing), path: path)
        self.samples = samples
    }

    /// The rate in mHz; times with a few decimals make 49.99 or 50.01 of a plain 50 Hz recording.
    static func rate(_ hertz: Double, path: String) throws(Fault) -> Int {
        let whole = hertz.rounded(), rate = abs(hertz - whole) < 0.002 * hertz ? whole : hertz
        guard rate >= 10, rate <= 400 else {
            throw Fault(
                .badData, "\(path) was sampled at \(Decimals.text(hertz, places: 2)) Hz; 10 to 400 Hz can be used",
                remedy: "Is the time in seconds?")
        }
        return Int((rate * 1000).rounded())
    }

    /// The samples from one gap to the next, and how many are missing before them.
    var parts: [(samples: [Int16], missing: Int64)] {
        let starts = [Gap(index: 0, seconds: 0)] + gaps, ends = gaps.map(\.index) + [samples.count / 3]
        return zip(starts, ends).map { start, end in
            (Array(samples[start.index * 3..<end * 3]), max(0, Int64((start.seconds * Double(rate) / 1000).rounded()) - 1))
        }
    }

    func recording(label: String) -> Recording { Recording(label: label, rate: rate, samples: samples) }

    /// Every digit of Q3.12, and microseconds.
    package static func encode(_ recording: Recording) -> [UInt8] {
        var text = columns.joined(separator: ",") + "\n"
        for row in 0..<recording.count {
            let values = recording.samples[row * 3..<row * 3 + 3].map { "\(Double($0) * 0x1p-12)" }
            text += "\(Decimals.text(Int64(row) * 1000, over: recording.rate, places: 6)),\(values.joined(separator: ","))\n"
        }
        return Array(text.utf8)
    }
}

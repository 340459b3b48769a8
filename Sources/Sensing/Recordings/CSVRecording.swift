internal import Support

/// A recording as text: header `time,x,y,z`, seconds and g.
struct CSVRecording {
    /// x, y, z interleaved, Q3.12 g.
    let samples: [Int16]
    /// Sampling rate in mHz, from the times of the first and last sample.
    let rate: Int

    init(path: String) throws(Fault) {
        let table = try Table(path: path, columns: ["time", "x", "y", "z"])
        guard table.rows.count >= 2 else { throw Fault(.badData, "\(path) holds fewer than two samples") }
        var samples: [Int16] = [], times: [Double] = []
        for row in table.rows {
            guard let time = Double(row.cells[0]), time.isFinite, time > times.last ?? -.infinity else {
                throw Fault(.badData, "\(path):\(row.line): the time \"\(row.cells[0])\" does not follow the one before")
            }
            times.append(time)
            for cell in row.cells[1...] {
                guard let value = q12(decimal: cell) else { throw Fault(.badData, "\(path):\(row.line): \"\(cell)\" is not an acceleration in g") }
                samples.append(value)
            }
        }
        let hertz = Double(times.count - 1) / (times[times.count - 1] - times[0])
        guard hertz >= 10, hertz <= 400 else {
            throw Fault(.badData, "\(path) was sampled at \(Decimals.text(hertz, places: 2)) Hz; 10 to 400 Hz can be used", remedy: "Is the time in seconds?")
        }
        // Times with a few decimals make 49.99 or 50.01 of a plain 50 Hz recording.
        let whole = hertz.rounded()
        rate = abs(hertz - whole) < 0.002 * hertz ? Int(whole) * 1000 : Int((hertz * 1000).rounded())
        self.samples = samples
    }
}

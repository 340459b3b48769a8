internal import Support

/// Swift-HAR's text: a header, then rows of time and three accelerations in g as Swift writes a Float, with no newline at the end.
/// The time is a Float to which the sampling period is added row by row: 0.01 a hundred times makes 0.99999934.
enum SwiftHARFile {
    static let columns = ["time", "accelx", "accely", "accelz"]

    package static func encode(_ recording: Recording) -> [UInt8] {
        var text = columns.joined(separator: ","), time: Float = 0
        let period = 1000 / Float(recording.rate)
        for row in stride(from: 0, to: recording.samples.count, by: 3) {
            let values = recording.samples[row..<row + 3].map { "\(Float($0) * 0x1p-12)" }
            text += "\n\(time),\(values.joined(separator: ","))"
            time += period
        }
        return Array(text.utf8)
    }

    package static func decode(_ bytes: [UInt8], label: String, path: String) throws(Fault) -> Recording {
        try CSVRecording(bytes: bytes, path: path, columns: columns).recording(label: label)
    }
}

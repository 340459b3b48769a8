package import Sensing
package import Support

/// LibraData's files of raw windows, as `gaitway run` uploads them, as labelled recordings again.
///
/// A row has its time (s since 1970), the window (g; x, y, z of each sample), one-hot the decision, one-hot what the user said.
package enum LibraStreams {
    private struct Row {
        var samples: [Int16]
        /// An index into the labels; nil where the user said nothing.
        var label: Int?
    }

    /// - Parameters:
    ///   - labels: of the model that decided, in its order.
    ///   - window: samples of a window; `hop`: between two windows, at 50 Hz.
    /// - Throws: `.badData` naming the line that is none of such windows.
    package static func read(
        _ bytes: [UInt8], name: String, labels: [String], window: Int, hop: Int
    ) throws(Fault) -> LabelledStream {
        var stream = LabelledStream(name: name, person: "", placement: "", rate: 50_000, pieces: [])
        stream.isFiltered = true
        var before: Row?
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let row = row(line, labels: labels.count, window: window) else {
                throw Fault(
                    .badData, "\(name):\(index + 1) is no raw window of \(window) samples with \(labels.count) labels",
                    remedy: "Other contents than upload.content raw, and models with other labels, cannot be learnt from.")
            }
            let isNext = before.map { $0.samples.suffix((window - hop) * 3) == row.samples.prefix((window - hop) * 3) } ?? false
            if isNext, let last = stream.pieces.indices.last {
                stream.pieces[last].samples += row.samples.suffix(hop * 3)
            } else {
                stream.pieces.append(.init(samples: row.samples, stretches: []))
            }
            if isNext, let label = row.label, label == before?.label { note(label, labels, hop, &stream) }
            before = row
        }
        return stream
    }

    // What came between two windows of the same label was said throughout.
    private static func note(_ label: Int, _ labels: [String], _ hop: Int, _ stream: inout LabelledStream) {
        let piece = stream.pieces.count - 1, end = stream.pieces[piece].samples.count / 3, start = end - hop
        if let last = stream.pieces[piece].stretches.last, last.range.upperBound == start, last.activity == labels[label] {
            stream.pieces[piece].stretches[stream.pieces[piece].stretches.count - 1].range = last.range.lowerBound..<end
        } else {
            stream.pieces[piece].stretches.append(.init(range: start..<end, activity: labels[label], labels: [labels[label]]))
        }
    }

    private static func row(_ line: ArraySlice<UInt8>, labels: Int, window: Int) -> Row? {
        let cells = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard cells.count == 1 + window * 3 + 2 * labels else { return nil }
        var samples: [Int16] = []
        samples.reserveCapacity(window * 3)
        for cell in cells[1...(window * 3)] {
            guard let value = Double(String(decoding: cell, as: UTF8.self)), abs(value) <= 8 else { return nil }
            samples.append(Int16(clamping: Int((value * 4096).rounded())))
        }
        let said = cells.suffix(labels).map { String(decoding: $0, as: UTF8.self) }
        guard said.allSatisfy({ $0 == "0.0" || $0 == "1.0" }), said.count(where: { $0 == "1.0" }) <= 1 else { return nil }
        return Row(samples: samples, label: said.firstIndex(of: "1.0"))
    }
}

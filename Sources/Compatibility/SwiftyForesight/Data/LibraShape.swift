internal import Support
internal import Upload

/// What features and labels must be like, and their CSV.
struct LibraShape {
    /// Vectors of features, that of the timestamps included; numbers of a label vector.
    let features: Int, labels: Int

    func check(features vectors: [[Double]]) throws(Fault) {
        guard vectors.count == features else {
            throw Fault(.usage, "Incorrect number of feature vectors: expected \(features), got \(vectors.count)")
        }
        let length = vectors.first?.count ?? 0
        if let (index, odd) = vectors.enumerated().first(where: { $0.element.count != length }) {
            throw Fault(.usage, "Feature vectors are not the same length: expected \(length), got \(odd.count) in vector \(index)")
        }
    }

    func check(labels vectors: [[Double]]) throws(Fault) {
        if let (index, odd) = vectors.enumerated().first(where: { $0.element.count != labels }) {
            throw Fault(.usage, "Label vector length is incorrect: expected \(labels), got \(odd.count) in vector \(index)")
        }
    }

    /// A row for each time: its features, then its labels.
    func csv(features vectors: [[Double]], labels rows: [[Double]]) throws(Fault) -> [UInt8] {
        guard let times = vectors.first?.count, times > 0 else { throw Fault(.usage, "Features have not been written to LibraData.data") }
        guard labels == 0 || !rows.isEmpty else { throw Fault(.usage, "Labels have not been written to LibraData.data") }
        guard rows.count == times || labels == 0 else {
            throw Fault(
                .usage, "The number of label vectors and features is not the same: expected \(times) label vectors, got \(rows.count)")
        }
        var text = CSVText(capacity: times * (features + labels) * 8)
        for time in 0..<times {
            for vector in vectors { text.append(vector[time]) }
            if labels > 0 { for value in rows[time] { text.append(value) } }
            text.endRow(hasLabels: labels > 0)
        }
        return Array(text.bytes)
    }
}

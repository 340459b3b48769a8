package import Support

/// Crowd-ML's data files: one sample a line, numbers parted by spaces, commas or tabs; one label a line. Whatever generation named them.
package enum CrowdFiles {
    package enum Part: Sendable { case training, test }

    private static func names(_ part: Part) -> [(features: String, labels: String)] {
        switch part {
        case .training:
            [
                ("TrainingFeature.dat", "TrainLabel.dat"), ("trainingFeature.dat", "trainingLabel.dat"),
                ("MNISTTrainImages.dat", "MNISTTrainLabels.dat"),
                ("binaryTrainImages.dat", "binaryTrainLabels.dat"),
            ]
        case .test:
            [
                ("TestFeature.dat", "TestLabel.dat"), ("testFeature.dat", "testLabel.dat"), ("MNISTTestImages.dat", "MNISTTestLabels.dat"),
                ("binaryTestImages.dat", "binaryTestLabels.dat"),
            ]
        }
    }

    /// The first pair of files that a directory has.
    ///
    /// - Throws: `.noInput` when it has none; those of ``read(features:labels:)``.
    package static func read(_ directory: String, _ part: Part) throws(Fault) -> CrowdData {
        let present = try Files.list(directory)
        for (features, labels) in names(part) {
            // Spellings differ in more than their first letter, and Linux minds it.
            guard let features = present.first(where: { $0.lowercased() == features.lowercased() }),
                let labels = present.first(where: { $0.lowercased() == labels.lowercased() })
            else { continue }
            return try read(features: "\(directory)/\(features)", labels: "\(directory)/\(labels)")
        }
        let wanted = names(part).map { "\($0.features) and \($0.labels)" }.joined(separator: ", or ")
        throw Fault(.noInput, "\(directory) has no samples", remedy: "There should be \(wanted).")
    }

    /// - Throws: `.noInput`, `.permission`; `.badData` naming the line.
    package static func read(features: String, labels: String) throws(Fault) -> CrowdData {
        let (numbers, dimension) = try numbers(features), classes = try Self.numbers(labels)
        guard classes.columns == 1 else { throw Fault(.badData, "\(labels) has \(classes.columns) numbers a line, not one label") }
        var found: [Int] = []
        for (index, value) in classes.values.enumerated() {
            guard let label = Int(exactly: value), (-1...999).contains(label) else {
                throw Fault(.badData, "\(labels): \(value), label \(index + 1), is no class")
            }
            // Of two classes the first has been -1 as well.
            found.append(max(0, label))
        }
        guard found.count * dimension == numbers.count else {
            throw Fault(.badData, "\(features) has \(numbers.count / max(1, dimension)) samples, \(labels) \(found.count) labels")
        }
        return try CrowdData(features: numbers, dimension: dimension, labels: found)
    }

    private static func numbers(_ path: String) throws(Fault) -> (values: [Double], columns: Int) {
        let bytes = try Files.read(path, limit: 512 << 20)
        var values: [Double] = [], columns = 0, line = 0
        for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            let before = values.count
            for cell in text.split(whereSeparator: {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r")
            }) {
                guard let value = Double(String(decoding: cell, as: UTF8.self)), value.isFinite else {
                    throw Fault(.badData, "\(path):\(line): \"\(String(decoding: cell.prefix(20), as: UTF8.self))\" is no number")
                }
                values.append(value)
            }
            let found = values.count - before
            if found == 0 { continue }
            if columns == 0 { columns = found }
            guard found == columns else { throw Fault(.badData, "\(path):\(line) has \(found) numbers, the lines before \(columns)") }
        }
        guard columns > 0 else { throw Fault(.badData, "\(path) has no numbers") }
        return (values, columns)
    }
}

package import Support

/// A directory of recordings in the HAPT data set's layout.
///
/// Two forms are read: `recordings.csv` with `labels.csv` and one `.i16` file a recording (little-endian int16, x y z
/// interleaved, 1/720 g, 50 Hz), and the public archive's `acc_expNN_userMM.txt` (three decimals in g a line) with `labels.txt`,
/// in the directory itself or in its `RawData`.
package struct HAPTRecordings: Sendable {
    package struct Entry: Sendable, Equatable {
        package var number: Int
        package var subject: Int
        package var path: String
    }

    /// One labelled stretch, in samples: first ..< end, counted from 0.
    package struct Segment: Sendable, Equatable {
        package var recording: Int
        /// 1...6 are the six activities, 7...12 transitions.
        package var activity: Int
        package var range: Range<Int>
    }

    package var recordings: [Entry]
    package var segments: [Segment]

    /// The activities by their number in the data set, from 1.
    package static let activities = ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING"]
    static let transitions = ["STAND_TO_SIT", "SIT_TO_STAND", "SIT_TO_LIE", "LIE_TO_SIT", "STAND_TO_LIE", "LIE_TO_STAND"]

    /// Reads the directory's tables; the recordings themselves are read by `counts(of:)`.
    ///
    /// - Throws: `.noInput` when there is no recording, `.badData` naming file and line.
    package init(directory: String) throws(Fault) {
        guard Files.isDirectory(directory) else { throw Fault(.noInput, "\(directory) is not a directory of recordings") }
        if Files.exists("\(directory)/recordings.csv") {
            recordings = try Self.readTable("\(directory)/recordings.csv", directory)
            segments = try Self.readLabels("\(directory)/labels.csv", columns: ["recording", "activity", "first", "last"])
        } else {
            let raw = Files.isDirectory("\(directory)/RawData") ? "\(directory)/RawData" : directory
            recordings = try Self.findTexts(in: raw)
            segments = recordings.isEmpty ? [] : try Self.readLabels("\(raw)/labels.txt", columns: nil)
        }
        guard !recordings.isEmpty else {
            guard !Files.exists("\(directory)/index.csv") else {
                throw Fault(
                    .usage, "\(directory) is a recording set, and recordings in the HAPT layout are wanted here",
                    remedy: """
                        gaitway evaluate and train take sets; gaitway recordings import makes recordings of one, which run plays one by one.
                        """)
            }
            throw Fault(
                .noInput, "\(directory) holds no recordings",
                remedy: """
                    Expected a recording set (set.csv, index.csv, labels.csv), recordings.csv with .i16 files, or acc_expNN_userMM.txt \
                    with labels.txt. One's own recordings are for gaitway train and personalise.
                    """)
        }
    }

    /// Whether a directory has this layout.
    package static func areIn(_ directory: String) -> Bool {
        if Files.exists("\(directory)/recordings.csv") || Files.isDirectory("\(directory)/RawData") { return true }
        return ((try? Files.list(directory)) ?? []).contains { $0.hasPrefix("acc_exp") && $0.hasSuffix(".txt") }
    }

    /// Samples of a recording: x, y, z interleaved, 1/720 g.
    package func counts(of recording: Entry) throws(Fault) -> [Int16] {
        try Self.counts(path: recording.path)
    }

    /// Whether `path` is one recording in either form.
    static func isRecording(_ path: String) -> Bool { path.hasSuffix(".i16") || path.hasSuffix(".txt") }

    static func counts(path: String) throws(Fault) -> [Int16] {
        let bytes = try Files.read(path, limit: 1 << 30)
        if path.hasSuffix(".txt") { return try parseText(bytes, path) }
        guard bytes.count % 6 == 0 else {
            throw Fault(
                .badData, "\(path) ends in the middle of a sample (\(bytes.count) bytes are not a multiple of 6)",
                remedy: "Copy it again; the last sample was cut.")
        }
        return (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
    }

    // The archive's texts are the phone's counts divided by 720.
    private static func parseText(_ bytes: [UInt8], _ path: String) throws(Fault) -> [Int16] {
        var counts: [Int16] = []
        for (number, line) in CSVTable.lines(bytes).enumerated() {
            let cells = line.split(separator: " ")
            if cells.isEmpty { continue }
            guard cells.count == 3 else { throw Fault(.badData, "\(path):\(number + 1): expected three numbers") }
            for cell in cells {
                guard let value = Double(cell), value.magnitude < 45 else {
                    throw Fault(.badData, "\(path):\(number + 1): \"\(cell)\" is not an acceleration in g")
                }
                counts.append(Int16((value * 720).rounded()))
            }
        }
        return counts
    }

    private static func findTexts(in directory: String) throws(Fault) -> [Entry] {
        var found: [Entry] = []
        for name in try Files.list(directory) where name.hasPrefix("acc_exp") && name.hasSuffix(".txt") {
            let numbers = name.dropFirst(7).dropLast(4).split(separator: "_")
            guard numbers.count == 2, let number = Int(numbers[0]), numbers[1].hasPrefix("user"), let subject = Int(numbers[1].dropFirst(4))
            else {
                throw Fault(.badData, "\(directory)/\(name): the name is not acc_expNN_userMM.txt")
            }
            found.append(Entry(number: number, subject: subject, path: "\(directory)/\(name)"))
        }
        return found
    }

    private static func readTable(_ path: String, _ directory: String) throws(Fault) -> [Entry] {
        let table = try CSVTable(path: path, columns: ["recording", "user", "file"])
        var found: [Entry] = []
        for row in table.rows {
            let file = row.cells[2]
            guard !file.contains("/") else { throw Fault(.badData, "\(path):\(row.line): \"\(file)\" is not a plain file name") }
            found.append(Entry(number: try row.integer(0), subject: try row.integer(1), path: "\(directory)/\(file)"))
        }
        return found
    }

    private static func readLabels(_ path: String, columns: [String]?) throws(Fault) -> [Segment] {
        // The archive's labels.txt has no header: experiment, user, activity, first, last.
        let table =
            if let columns { try CSVTable(path: path, columns: columns) } else { try CSVTable(path: path, fields: [0, 2, 3, 4], of: 5) }
        let known = activities.count + transitions.count
        var segments: [Segment] = []
        for row in table.rows {
            let first = try row.integer(2), last = try row.integer(3), activity = try row.integer(1)
            guard (1...known).contains(activity) else {
                throw Fault(.badData, "\(path):\(row.line): activity \(activity) is unknown (1 to \(known))")
            }
            guard first >= 1, last >= first else {
                throw Fault(.badData, "\(path):\(row.line): samples \(first) to \(last) are not a stretch")
            }
            segments.append(Segment(recording: try row.integer(0), activity: activity, range: first - 1..<last))
        }
        return segments
    }
}

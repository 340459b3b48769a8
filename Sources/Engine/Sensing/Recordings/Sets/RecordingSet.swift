package import Support

/// Labelled recordings of several people, in one of two layouts.
///
/// A recording set is a directory with `set.csv` (name, rate_hz, counts_per_g), `index.csv` (file, person, placement, activity, trial,
/// first, last, note; samples counted from 0, both ends included; every row is an unbroken recording of its own), `labels.csv` (activity,
/// label: which of our labels an activity is, several joined by `|`; `unknown` or nothing: none of them) and `.i16` files (little-endian
/// int16, x y z interleaved). The layout of the HAPT data set is the other one (``HAPTRecordings``): worn at the waist.
package struct RecordingSet: Sendable {
    /// All rows of a file with the same person and placement: one wearing.
    package struct Entry: Sendable {
        package var name: String
        package var person: String
        package var placement: String
        var path: String
        fileprivate var rows: [LabelledStream.Stretch]
        /// Whether the rows are parts of one unbroken recording.
        fileprivate var isWhole: Bool

        /// Samples of each row.
        package var ranges: [Range<Int>] { rows.map(\.range) }
    }

    package let name: String
    /// mHz.
    package let rate: Int
    package let entries: [Entry]
    private let scale: Scale

    /// Whether a directory has one of the layouts.
    package static func isOne(_ directory: String) -> Bool {
        Files.exists("\(directory)/index.csv") || HAPTRecordings.areIn(directory)
    }

    /// Reads the directory's tables; the recordings themselves are read by ``stream(of:)``.
    ///
    /// - Throws: `.noInput` when there is no recording, `.badData` naming file and line.
    package init(directory: String) throws(Fault) {
        if Files.exists("\(directory)/index.csv") {
            try self.init(set: directory)
        } else {
            try self.init(hapt: try HAPTRecordings(directory: directory))
        }
    }

    /// Reads several directories.
    ///
    /// - Throws: also `.usage` where one of them is named twice, in whatever words: its recordings would count twice.
    package static func all(_ directories: [String]) throws(Fault) -> [RecordingSet] {
        var sets: [RecordingSet] = [], seen: [Files.Identity] = []
        for directory in directories {
            let set = try RecordingSet(directory: directory), identity = try Files.identity(directory)
            guard !seen.contains(identity) else { throw Fault(.usage, "\(directory) is named twice", remedy: "Name it once.") }
            sets.append(set)
            seen.append(identity)
        }
        return sets
    }

    private init(hapt source: HAPTRecordings) throws(Fault) {
        name = "hapt"
        rate = 50_000
        scale = try Scale(ratio: 1, 720)
        let names = HAPTRecordings.activities + HAPTRecordings.transitions
        entries = source.recordings.map { recording in
            let rows = source.segments.filter { $0.recording == recording.number }.sorted { $0.range.lowerBound < $1.range.lowerBound }.map
            {
                let name = names[$0.activity - 1]
                return LabelledStream.Stretch(
                    range: $0.range, activity: name, labels: $0.activity <= HAPTRecordings.activities.count ? [name] : nil)
            }
            return Entry(
                name: "\(recording.number)", person: "\(recording.subject)", placement: "waist", path: recording.path, rows: rows,
                isWhole: true)
        }
    }

    /// What `set.csv` says of a set's recordings: its name, their rate in mHz and their scale.
    static func properties(of directory: String) throws(Fault) -> (name: String, rate: Int, scale: Scale) {
        let table = try CSVTable(path: "\(directory)/set.csv", columns: ["name", "rate_hz", "counts_per_g"])
        guard let row = table.rows.first else { throw Fault(.badData, "\(directory)/set.csv has no row") }
        guard table.rows.count == 1 else {
            throw Fault(
                .badData, "\(directory)/set.csv has \(table.rows.count) rows: a set has one rate and one scale",
                remedy: "Make a set of each, in a directory of its own.")
        }
        guard let rate = Double(row.cells[1]), rate >= 10, rate <= 400, let counts = Double(row.cells[2]), counts >= 1, counts <= 1e6 else {
            throw Fault(
                .badData, "\(directory)/set.csv:\(row.line): \(row.cells[1]) Hz with \(row.cells[2]) counts per g cannot be used",
                remedy: "Expected 10 to 400 Hz, and 1 to 1000000 counts per g.")
        }
        try row.requireNames([row.cells[0]])
        return (row.cells[0], Int((rate * 1000).rounded()), try Scale(ratio: 1000, Int64((counts * 1000).rounded())))
    }

    private init(set directory: String) throws(Fault) {
        (name, rate, scale) = try Self.properties(of: directory)
        let labels = try Self.labels("\(directory)/labels.csv")
        var entries: [Entry] = [], places: [String: Int] = [:]
        for row in try CSVTable(
            path: "\(directory)/index.csv", columns: ["file", "person", "placement", "activity", "first", "last"]
        ).rows {
            let (file, person, placement, activity) = (row.cells[0], row.cells[1], row.cells[2], row.cells[3])
            let first = try row.integer(4), last = try row.integer(5)
            guard !file.isEmpty, !file.contains("/") else {
                throw Fault(.badData, "\(row.path):\(row.line): \"\(file)\" is not a plain file name")
            }
            try row.requireNames([person, placement])
            guard first >= 0, last >= first else {
                throw Fault(.badData, "\(row.path):\(row.line): samples \(first) to \(last) are not a stretch")
            }
            guard let label = labels[activity] else {
                throw Fault(
                    .badData, "\(row.path):\(row.line): \(directory)/labels.csv has no activity \"\(activity)\"",
                    remedy: "Add a line for it: \(activity),LABEL, or \(activity),unknown.")
            }
            let key = "\(file)\n\(person)\n\(placement)"
            if places[key] == nil {
                places[key] = entries.count
                entries.append(
                    Entry(
                        name: file, person: person, placement: Self.place(placement), path: "\(directory)/\(file)",
                        rows: [], isWhole: false))
            }
            entries[places[key] ?? 0].rows.append(.init(range: first..<last + 1, activity: activity, labels: label))
        }
        guard !entries.isEmpty else { throw Fault(.noInput, "\(directory)/index.csv holds no recordings") }
        self.entries = entries
    }

    private static func labels(_ path: String) throws(Fault) -> [String: [String]] {
        var labels: [String: [String]] = [:]
        for row in try CSVTable(path: path, columns: ["activity", "label"]).rows {
            let names = row.cells[1].split(separator: "|").map(String.init)
            try row.requireNames(names)
            let label = names == ["unknown"] ? [] : names
            guard labels[row.cells[0], default: label] == label else {
                throw Fault(.badData, "\(row.path):\(row.line): \"\(row.cells[0])\" has another label in a line above")
            }
            labels[row.cells[0]] = label
        }
        return labels
    }

    /// True steps of a set that has them, by file: `steps.csv` (file, sample).
    ///
    /// - Throws: `.noInput`, `.badData` naming file and line.
    package func steps(in directory: String) throws(Fault) -> [String: [Int]] {
        var steps: [String: [Int]] = [:], lengths: [String: Int64] = [:]
        for entry in entries { lengths[entry.name] = try Files.size(entry.path) / 6 }
        for row in try CSVTable(path: "\(directory)/steps.csv", columns: ["file", "sample"]).rows {
            let file = row.cells[0], sample = try row.integer(1)
            guard let length = lengths[file] else {
                // A set may be cut down by its index alone.
                if !file.contains("/"), Files.isFile("\(directory)/\(file)") { continue }
                throw Fault(.badData, "\(row.path):\(row.line): the set has no recording \"\(file)\"")
            }
            guard sample >= 0, sample < length else {
                throw Fault(.badData, "\(row.path):\(row.line): \(file) has \(length) samples, and no sample \(sample)")
            }
            steps[file, default: []].append(sample)
        }
        return steps
    }

    /// Whether some of its rows hold a fall.
    package var hasFalls: Bool { entries.contains { $0.rows.contains { $0.labels == ["FALL"] } } }

    package var people: [String] { Set(entries.map(\.person)).sorted { ($0.count, $0) < ($1.count, $1) } }
    package var placements: [String] { Set(entries.map(\.placement)).sorted() }

    /// Entries of several sets: a person or placement that is named must be in one of them.
    ///
    /// - Parameter leftOut: people whose recordings are not wanted.
    /// - Throws: `.usage` for one that is in none.
    package static func entries(
        of sets: [RecordingSet], people wanted: Set<String>, leavingOut leftOut: Set<String> = [], placements: Set<String>
    ) throws(Fault) -> [(set: RecordingSet, entry: Entry)] {
        let placements = Set(placements.map(place))
        let allPeople = Set(sets.flatMap(\.people)), allPlacements = Set(sets.flatMap(\.placements))
        if let unknown = wanted.union(leftOut).subtracting(allPeople).min() {
            let names = allPeople.sorted { ($0.count, $0) < ($1.count, $1) }
            throw Fault(.usage, "there is no subject \(unknown)", remedy: "There are: \(names.joined(separator: ", ")).")
        }
        if let unknown = placements.subtracting(allPlacements).min() {
            throw Fault(
                .usage, "no recording has the placement \(unknown)", remedy: "There are: \(allPlacements.sorted().joined(separator: ", "))."
            )
        }
        return sets.flatMap { set in
            set.entries.filter {
                (wanted.isEmpty || wanted.contains($0.person)) && !leftOut.contains($0.person)
                    && (placements.isEmpty || placements.contains($0.placement))
            }.map { (set, $0) }
        }
    }

    /// Reads one.
    ///
    /// - Throws: `.noInput`, `.badData` when a row lies outside its file.
    package func stream(of entry: Entry) throws(Fault) -> LabelledStream {
        let samples = try HAPTRecordings.counts(path: entry.path).map { scale.q12(Int32($0)) }, count = samples.count / 3
        for row in entry.rows where row.range.upperBound > count {
            throw Fault(
                .badData, "a label of recording \(entry.name) ends at sample \(row.range.upperBound) of \(count)",
                remedy: "Copy \(entry.path) again if it is too short, or mend the row's last sample.")
        }
        let pieces =
            entry.isWhole
            ? [LabelledStream.Piece(samples: samples, stretches: entry.rows)]
            : entry.rows.map { row in
                LabelledStream.Piece(
                    samples: Array(samples[row.range.lowerBound * 3..<row.range.upperBound * 3]),
                    stretches: [.init(range: 0..<row.range.count, activity: row.activity, labels: row.labels)])
            }
        return LabelledStream(name: entry.name, person: entry.person, placement: entry.placement, rate: rate, pieces: pieces)
    }
}

package import Support

/// A directory of labelled recordings: one CSV file each, named LABEL_YYYYMMDD-HHMMSS.csv.
package struct RecordingStore: Sendable {
    package struct Entry: Sendable, Equatable {
        /// The file's name.
        package var name: String
        package var label: String
        package var path: String
        /// What sorts it: when it was recorded, as the name says it; when the file was written, for those of one second.
        var moment: String
        var written: Int64
    }

    package let directory: String

    /// - Throws: `.noInput` when there is no such directory.
    package init(directory: String) throws(Fault) {
        guard Files.isDirectory(directory) else {
            throw Fault(
                .noInput, "\(directory) is not a directory of recordings",
                remedy: "Make the first one: gaitway record --label walking --recordings \(directory)")
        }
        self.directory = directory
    }

    /// The same, made when it is missing.
    package init(making directory: String) throws(Fault) {
        if !Files.isDirectory(directory) { try Files.makeDirectory(directory) }
        self.directory = directory
    }

    /// The recordings, the oldest first.
    package func entries() throws(Fault) -> [Entry] {
        var found: [Entry] = []
        for name in try Files.list(directory) where name.hasSuffix(".csv") && !name.hasPrefix(".") && name.contains("_") {
            let written = try Files.modified("\(directory)/\(name)")
            let named = name.dropLast(4).split(separator: "_").last.map(String.init) ?? "", path = "\(directory)/\(name)"
            // Swift-HAR's own names do not say when: the file's time does.
            let moment = Self.isMoment(named) ? named : CalendarTime(nanoseconds: written).padded
            found.append(
                Entry(name: name, label: RecordingFormat.gaitway.label(ofFile: name), path: path, moment: moment, written: written))
        }
        return found.sorted { ($0.moment, $0.written, $0.name) < ($1.moment, $1.written, $1.name) }
    }

    // 20261121-090305, perhaps with .2 behind it.
    private static func isMoment(_ text: String) -> Bool {
        let digits = text.utf8.prefix(15)
        return digits.count == 15
            && digits.enumerated().allSatisfy { $0.offset == 8 ? $0.element == UInt8(ascii: "-") : (48...57).contains($0.element) }
    }

    /// One of them by its file's name, with or without its ending.
    ///
    /// - Throws: `.noInput` when there is none.
    package func entry(_ name: String) throws(Fault) -> Entry {
        if let found = try entries().first(where: { $0.name == name || $0.name == name + ".csv" || $0.path == name }) { return found }
        throw Fault(.noInput, "\(directory) has no recording \(name)", remedy: "See: gaitway recordings list --recordings \(directory)")
    }

    package func read(_ entry: Entry) throws(Fault) -> Recording {
        try RecordingFormat.gaitway.decode(try Files.read(entry.path, limit: 64 << 20), label: entry.label, path: entry.path)
    }

    /// Labels in the order of their first recording.
    ///
    /// - Throws: `.badData` when two differ only in case.
    package func labels() throws(Fault) -> [String] {
        var labels: [String] = []
        for entry in try entries() where !labels.contains(entry.label) {
            try Self.refuseTwin(of: entry.label, among: labels)
            labels.append(entry.label)
        }
        return labels
    }

    /// Whether recordings may be given this label.
    ///
    /// - Throws: `.usage` for a name that no file can have, and for one that differs from another only in case.
    package func check(_ label: String) throws(Fault) {
        try Self.requireName(label)
        try Self.refuseTwin(of: label, among: try entries().map(\.label))
    }

    private static func requireName(_ label: String) throws(Fault) {
        guard !label.isEmpty, label.utf8.count <= 64, !label.hasPrefix("."),
            label.unicodeScalars.allSatisfy({ $0.value >= 32 && $0 != "/" && $0 != "," && $0.value != 127 })
        else {
            throw Fault(
                .usage, "\"\(label)\" cannot be a label",
                remedy: "Use up to 64 bytes without \"/\", commas and control characters, and no dot in front.")
        }
    }

    private static func refuseTwin(of label: String, among others: [String]) throws(Fault) {
        guard let twin = others.first(where: { $0 != label && $0.lowercased() == label.lowercased() }) else { return }
        throw Fault(
            .usage, "the labels \"\(twin)\" and \"\(label)\" differ only in case",
            remedy: "Use one of them, or delete or rename the other's files.")
    }

    /// Adds a recording as a whole: a power cut leaves it there or not.
    ///
    /// - Parameters:
    ///   - isCompatible: Swift-HAR's own name, without leading zeros; a second recording of that name replaces the first.
    /// - Throws: `.usage` for a label that cannot be one; those of ``Files/write(_:to:)``.
    /// - Returns: its path.
    @discardableResult
    package func add(
        _ recording: Recording, at moment: CalendarTime, isCompatible: Bool = false
    ) throws(Fault) -> String {
        try check(recording.label)
        return try write(recording, moment, isCompatible)
    }

    /// Adds several, once all of their labels are known to be right.
    ///
    /// - Throws: `.usage` for a label that cannot be one; those of ``Files/write(_:to:)``, and then those before are there.
    /// - Returns: their paths.
    @discardableResult
    package func add(_ recordings: [(recording: Recording, moment: CalendarTime)]) throws(Fault) -> [String] {
        var labels = Set(try entries().map(\.label))
        for (recording, _) in recordings where !labels.contains(recording.label) {
            try Self.requireName(recording.label)
            try Self.refuseTwin(of: recording.label, among: labels.sorted())
            labels.insert(recording.label)
        }
        return try recordings.map { recording, moment throws(Fault) in try write(recording, moment, false) }
    }

    private func write(_ recording: Recording, _ moment: CalendarTime, _ isCompatible: Bool) throws(Fault) -> String {
        let first = "\(directory)/\(recording.label)_\(isCompatible ? moment.unpadded : moment.padded)"
        var path = first + ".csv", number = 1
        while !isCompatible && Files.exists(path) {
            number += 1
            path = "\(first).\(number).csv"
        }
        try Files.write(RecordingFormat.gaitway.encode(recording), to: path, isPrivate: true)
        return path
    }

    package func delete(_ entry: Entry) throws(Fault) { try Files.remove(entry.path) }
}

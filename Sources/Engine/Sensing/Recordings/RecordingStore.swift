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
            remedy: "Use one of them: rename the other's files, change labels.csv, or name another directory with --recordings.")
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
        if isCompatible {
            let path = "\(directory)/\(recording.label)_\(moment.unpadded).csv"
            try Files.write(RecordingFormat.gaitway.encode(recording), to: path, isPrivate: true)
            return path
        }
        return try make(recording, moment).path
    }

    /// What became of a recording that was added.
    package struct Added: Sendable {
        package var path: String
        /// Whether it was not there already.
        package var isNew: Bool
    }

    /// Adds several, once all of their labels are known to be right; one that is there already, of that label and time and with these
    /// samples, is left as it is.
    ///
    /// - Parameter isStopped: asked before each of them whether it is to end there.
    /// - Throws: `.usage` for a label that cannot be one; those of ``Files/make(_:at:isPrivate:)`` and `.failure` where it was stopped,
    ///   with how many are there: the same again adds the others.
    package func add(
        _ recordings: [(recording: Recording, moment: CalendarTime)], isStopped: () -> Bool = { false }
    ) throws(Fault) -> [Added] {
        var labels = Set(try entries().map(\.label)), added: [Added] = []
        for (recording, _) in recordings where !labels.contains(recording.label) {
            try Self.requireName(recording.label)
            try Self.refuseTwin(of: recording.label, among: labels.sorted())
            labels.insert(recording.label)
        }
        do throws(Fault) {
            for (recording, moment) in recordings {
                guard !isStopped() else { throw Fault(.failure, "interrupted") }
                added.append(try make(recording, moment))
            }
        } catch {
            guard !added.isEmpty else { throw error }
            throw Fault(
                error.code, "\(error.message); \(added.count) of \(recordings.count) recordings are in \(directory)",
                remedy: (error.condition == .diskFull ? "Free some space: the" : "The") + " same command again adds the others.",
                condition: error.condition)
        }
        return added
    }

    // Another program may take the same name meanwhile.
    private func make(_ recording: Recording, _ moment: CalendarTime) throws(Fault) -> Added {
        let bytes = RecordingFormat.gaitway.encode(recording), first = "\(directory)/\(recording.label)_\(moment.padded)"
        var path = first + ".csv", number = 1
        while true {
            if !Files.exists(path), try Files.make(bytes, at: path, isPrivate: true) { return Added(path: path, isNew: true) }
            if Files.exists(path), try Files.size(path) == bytes.count, try Files.read(path, limit: bytes.count) == bytes {
                return Added(path: path, isNew: false)
            }
            number += 1
            path = "\(first).\(number).csv"
        }
    }

    package func delete(_ entry: Entry) throws(Fault) { try Files.remove(entry.path) }
}

package import Cryptography
package import Support
internal import Synchronization

/// Opens the spool of the settings.
package typealias OpenSpool = @Sendable () throws(Fault) -> Spool

/// Files of data on their way to where they are kept for good. The CSV file is the queue entry and the directory its state:
///
///     writing/     the file that rows are appended to
///     pending/     whole files that wait
///     refused/     whole files that the server will never take
///     torn/        what a power cut left of a row; never sent
///     attributes/  NAME.json: the metadata of a file
///     counts.json  what was dropped and lost so far
///
/// A file moves on by rename. Every step may be the last before a power cut: what was renamed is whole, and ``recover()`` sorts out the
/// rest. There is no other index.
package final class Spool: Sendable {
    package let directory: String
    package let user: String
    package let limits: SpoolLimits
    /// What rows are sealed to; nil where they are written as they are.
    let sealing: SealingKey?
    let disk: any Disk
    let counts: Mutex<SpoolCounts>

    var writing: String { "\(directory)/writing" }
    var pending: String { "\(directory)/pending" }
    var refused: String { "\(directory)/refused" }
    var torn: String { "\(directory)/torn" }
    var attributes: String { "\(directory)/attributes" }
    private var newest: String { "\(directory)/newest" }
    private var countsFile: String { "\(directory)/counts.json" }

    /// Opens the spool, made when it is missing.
    ///
    /// - Throws: those of making its directories.
    package init(
        _ directory: String, user: String, limits: SpoolLimits = SpoolLimits(), sealing: SealingKey? = nil, disk: any Disk = SystemDisk()
    ) throws(Fault) {
        (self.directory, self.user, self.limits, self.sealing, self.disk) = (directory, user, limits, sealing, disk)
        counts = Mutex(SpoolCounts.read("\(directory)/counts.json"))
        for path in [writing, pending, refused, torn, attributes] where !Files.isDirectory(path) { try disk.makeDirectory(path) }
        if !Files.exists(countsFile) { count { _ in } }
    }

    /// The files that wait, the oldest first. Names of another kind are none of the spool's.
    package func waiting() throws(Fault) -> [String] { try names(in: pending) }
    /// The files that the server will never take.
    package func refusals() throws(Fault) -> [String] { try names(in: refused) }

    package func path(of name: String, isRefused: Bool) -> String { "\(isRefused ? refused : pending)/\(name)" }
    func path(pending name: String) -> String { path(of: name, isRefused: false) }

    private func names(in directory: String) throws(Fault) -> [String] {
        try Files.list(directory).filter { DataFileName.isData($0) && DataFileName.date(in: $0) != nil }
            .sorted { (DataFileName.date(in: $0) ?? "", $0) < (DataFileName.date(in: $1) ?? "", $1) }
    }

    /// A name that this spool never gave before, for a file that begins at `seconds` since 1970. Clocks are set back, and boards without
    /// a clock chip begin anew where they were shut down, so the newest name is remembered. Only a clock that is set back by more
    /// than a day is believed; the server then tells names that are taken.
    ///
    /// - Parameter isSealed: whether it is a sealed file's.
    func newName(at seconds: Int64, isSealed: Bool = false) throws(Fault) -> String {
        let last = (try? Files.read(newest, limit: 64)).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
        var seconds = last >= seconds && last - seconds < 86_400 ? last + 1 : seconds
        while isUsed(DataFileName.name(of: user, at: seconds)) { seconds += 1 }
        try disk.replace(newest, with: Array("\(seconds)".utf8), in: directory)
        return DataFileName.name(of: user, at: seconds) + (isSealed ? SealedFile.suffix : "")
    }

    private func isUsed(_ name: String) -> Bool {
        [writing, pending, refused].contains { Files.exists("\($0)/\(name)") || Files.exists("\($0)/\(name)\(SealedFile.suffix)") }
    }

    /// Writes a file's metadata before its first row.
    func write(_ attributes: FileAttributes, for name: String) throws(Fault) {
        try disk.replace(attributesFile(name), with: attributes.bytes, in: self.attributes)
    }

    func attributes(of name: String) -> FileAttributes? { FileAttributes(file: attributesFile(name)) }

    private func attributesFile(_ name: String) -> String { "\(attributes)/\(name).json" }

    /// Moves a whole, synchronised file on from `writing` to `pending`.
    func finish(_ name: String) throws(Fault) {
        try disk.rename("\(writing)/\(name)", to: path(pending: name))
        try disk.synchronise(directory: pending)
        try disk.synchronise(directory: writing)
    }

    /// Deletes a file that was stored elsewhere. A power cut may bring it back; it is then found there.
    func remove(_ name: String) throws(Fault) {
        if Files.exists(path(pending: name)) { try disk.remove(path(pending: name)) }
        if Files.exists(attributesFile(name)) { try disk.remove(attributesFile(name)) }
    }

    /// Sets a file aside that will never be taken.
    func refuse(_ name: String) throws(Fault) { try move(name, from: pending, to: refused) }

    /// Lets the refused ones wait again. Returns how many.
    package func retryRefused() throws(Fault) -> Int {
        let names = try refusals()
        for name in names { try move(name, from: refused, to: pending) }
        return names.count
    }

    /// Deletes all that waits, was refused or is torn. Returns how many files.
    ///
    /// - Throws: `.permission` where a directory is a link: whose files lie behind it nobody knows.
    package func clear() throws(Fault) -> Int {
        var count = 0
        for path in [directory, pending, refused, torn, attributes] where !Files.target(ofLink: path).isEmpty {
            throw Fault(.permission, "\(path) is a link, and what lies behind it is not deleted", remedy: "Delete it by hand.")
        }
        for directory in [pending, refused, torn, attributes] {
            for name in try Files.list(directory) {
                try disk.remove("\(directory)/\(name)")
                if directory != attributes { count += 1 }
            }
            try disk.synchronise(directory: directory)
        }
        return count
    }

    /// Gives a waiting file another name: its own is taken by another file where it should go.
    func rename(_ name: String) throws(Fault) -> String {
        let other = try newName(at: SystemTime.wallSeconds, isSealed: name.hasSuffix(SealedFile.suffix))
        if let attributes = attributes(of: name) { try write(attributes, for: other) }
        try disk.rename(path(pending: name), to: path(pending: other))
        try disk.synchronise(directory: pending)
        return other
    }

    private func move(_ name: String, from: String, to: String) throws(Fault) {
        try disk.rename("\(from)/\(name)", to: "\(to)/\(name)")
        try disk.synchronise(directory: to)
        try disk.synchronise(directory: from)
    }

    /// Changes the counts and keeps them: as a whole, or on a full disk in place.
    func count(_ change: (inout SpoolCounts) -> Void) {
        counts.withLock { counts in
            change(&counts)
            do throws(Fault) {
                try disk.replace(countsFile, with: counts.bytes, in: directory)
            } catch {
                try? disk.overwrite(countsFile, with: counts.bytes)
            }
        }
    }
}

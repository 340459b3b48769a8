internal import Cryptography
internal import Support

/// The one file that rows are appended to. Memory does not grow.
final class SpoolWriter {
    let spool: Spool
    private var text = CSVText()
    private var file: CInt = -1
    private var digest = Digest()
    private var attributes = FileAttributes(metadata: [:])
    private var sealer: Sealer?
    // A sealed row that the disk did not take: those after it cannot be read without it.
    private var unwritten: [UInt8] = []
    private(set) var name: String?
    /// Of the open file.
    private(set) var bytes: Int64 = 0
    private(set) var rows = 0

    init(_ spool: Spool) { self.spool = spool }

    deinit { if file >= 0 { spool.disk.close(file) } }

    var isOpen: Bool { name != nil }

    /// Begins a file for rows from `seconds` since 1970 on.
    ///
    /// - Throws: `.failure` when the disk is full; those of the disk. Nothing is open then.
    func begin(at seconds: Int64, _ attributes: FileAttributes) throws(Fault) {
        guard try spool.disk.freeBytes(spool.directory) >= spool.limits.keepFree else {
            throw Fault(
                .failure, "the disk of \(spool.directory) is full, so no windows are recorded",
                remedy: "Free some space; recording then goes on by itself.", condition: .diskFull)
        }
        let sealer = try spool.sealing.map { key throws(Fault) in try Sealer(to: key) }
        let name = try spool.newName(at: seconds, isSealed: sealer != nil)
        try spool.write(attributes, for: name)
        file = try spool.disk.create("\(spool.writing)/\(name)")
        try spool.disk.synchronise(directory: spool.writing)
        (self.name, self.sealer, unwritten) = (name, sealer, sealer?.head ?? [])
        (bytes, rows, digest, self.attributes) = (0, 0, Digest(), attributes)
    }

    /// Appends a row as a whole or, as far as the disk lets it, not at all.
    ///
    /// - Throws: those of the disk. The rows before stay.
    func append(_ compose: (inout CSVText) -> Void) throws(Fault) {
        guard let name else { return }
        text.removeAll()
        compose(&text)
        if sealer == nil {
            try put(text.bytes, name)
        } else {
            try putUnwritten(name)
            unwritten = try sealer?.seal(text.bytes) ?? []
            try putUnwritten(name)
        }
        rows += 1
    }

    private func putUnwritten(_ name: String) throws(Fault) {
        if unwritten.isEmpty { return }
        try put(unwritten[...], name)
        unwritten = []
    }

    private func put(_ more: ArraySlice<UInt8>, _ name: String) throws(Fault) {
        do throws(Fault) {
            try spool.disk.append(more, to: file, "\(spool.writing)/\(name)")
        } catch {
            try? spool.disk.truncate(file, to: bytes, "\(spool.writing)/\(name)")
            throw error
        }
        digest.update(more)
        bytes += Int64(more.count)
    }

    /// Deletes the open file.
    func discard() {
        guard let name else { return }
        spool.disk.close(file)
        (file, self.name) = (-1, nil)
        try? spool.disk.remove("\(spool.writing)/\(name)")
        try? spool.remove(name)
    }

    /// Moves the file on to those that wait; one without rows is deleted.
    ///
    /// - Parameter hop: samples at 50 Hz from row to row.
    /// - Throws: those of the disk. The file then stays where it is, for ``Spool/recover()``.
    func finish(hop: Int) throws(Fault) {
        guard let name else { return }
        defer {
            spool.disk.close(file)
            (file, self.name) = (-1, nil)
        }
        if rows == 0 { return try spool.disk.remove("\(spool.writing)/\(name)") }
        // Without its end it is read as well, as one that a power cut ended.
        if sealer != nil, (try? putUnwritten(name)) != nil, let end = try sealer?.end() { try? put(end[...], name) }
        try spool.disk.synchronise(file, "\(spool.writing)/\(name)")
        // Without its digest it can go too, and a full disk may not take that.
        attributes.digest = digest.text
        try? spool.write(attributes, for: name)
        try spool.finish(name)
        if hop > 0 { spool.noteRate(bytesPerHour: bytes * 180_000 / Int64(rows * hop)) }
    }
}

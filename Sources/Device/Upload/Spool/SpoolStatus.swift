package import Support

/// How the spool does.
package struct SpoolStatus: Sendable, Equatable {
    /// Files that wait, and their bytes.
    package var files: Int, bytes: Int64
    /// The event date of the oldest, 14 digits in local time; nil when none waits.
    package var oldest: String?
    /// Seconds since then.
    package var age: Int64?
    package var refused: Int, torn: Int
    package var counts: SpoolCounts
    /// Bytes that may still be recorded.
    package var room: Int64
    /// Hours of recording that still fit; nil before anything was recorded.
    package var hours: Double? { counts.bytesPerHour > 0 ? Double(room) / Double(counts.bytesPerHour) : nil }
}

extension Spool {
    package func status(now: Int64 = SystemTime.wallSeconds) throws(Fault) -> SpoolStatus {
        let waiting = try waitingSizes(), bytes = waiting.reduce(0) { $0 + $1.bytes }, oldest = waiting.first?.name
        return SpoolStatus(
            files: waiting.count, bytes: bytes, oldest: oldest.flatMap { DataFileName.date(in: $0) },
            age: try oldest.map { name throws(Fault) in max(0, now - (try Files.modified(path(pending: name))) / 1_000_000_000) },
            refused: try refusals().count, torn: try Files.list(torn).count, counts: SpoolCounts.read("\(directory)/counts.json"),
            room: try room(used: bytes))
    }
}

internal import Support

/// How much may wait. What is over goes, the oldest first, and is counted.
package struct SpoolLimits: Sendable, Equatable {
    package var bytes: Int64, files: Int
    /// Seconds; nil for any age.
    package var age: Int64?
    /// Bytes that stay free on the disk.
    package var keepFree: Int64

    package init(bytes: Int64 = 1_000_000_000, files: Int = 10_000, age: Int64? = nil, keepFree: Int64 = 64_000_000) {
        (self.bytes, self.files, self.age, self.keepFree) = (bytes, files, age, keepFree)
    }
}

extension Spool {
    /// Drops waiting files until all limits hold.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: what was dropped.
    @discardableResult
    func enforceLimits(now: Int64 = SystemTime.wallSeconds) throws(Fault) -> [String] {
        var files = try waitingSizes(), total = files.reduce(0) { $0 + $1.bytes }, dropped: [String] = []
        while let oldest = files.first {
            let free = try disk.freeBytes(directory)
            guard total > limits.bytes || files.count > limits.files || isTooOld(oldest.name, now) || free < limits.keepFree else { break }
            try remove(oldest.name)
            files.removeFirst()
            total -= oldest.bytes
            dropped.append(oldest.name)
            count { counts in
                counts.droppedFiles += 1
                counts.droppedBytes += oldest.bytes
            }
        }
        return dropped
    }

    // Ten times too old is no age but a clock that jumped.
    private func isTooOld(_ name: String, _ now: Int64) -> Bool {
        guard let age = limits.age, let date = DataFileName.date(in: name) else { return false }
        return date < DataFileName.date(now - age) && date > DataFileName.date(now - age * 10)
    }

    /// Bytes that may still be recorded before a limit is reached.
    ///
    /// - Parameter used: bytes that wait.
    func room(used: Int64) throws(Fault) -> Int64 { max(0, min(limits.bytes - used, try disk.freeBytes(directory) - limits.keepFree)) }

    /// The files that wait, the oldest first, and their bytes.
    func waitingSizes() throws(Fault) -> [(name: String, bytes: Int64)] {
        try waiting().map { name in (name, (try? Files.size(path(pending: name))) ?? 0) }
    }
}

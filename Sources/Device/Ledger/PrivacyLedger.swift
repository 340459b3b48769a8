internal import FoundationEssentials
package import Support
internal import Synchronization

/// What left the board, and where it went: a file of counts, no data. It is written every ten minutes at most, since memory cards wear;
/// a power cut costs that much of the counts.
package final class PrivacyLedger: Sendable {
    /// As it is on the disk.
    package struct Content: Codable, Sendable, Equatable {
        /// Since when is counted, seconds since 1970; 0 where nothing was yet.
        package internal(set) var since: Int64 = 0
        package internal(set) var entries: [LedgerEntry] = []

        package init() {}
    }

    private struct Pending {
        var entries: [LedgerEntry] = []
        /// ns since boot.
        var savedAt: Int64?
    }

    /// Places beyond these are counted as one.
    static let mostEntries = 64
    private static let interval: Int64 = 600_000_000_000
    private static let elsewhere = "elsewhere"

    private let directory: String
    private let clock: ServiceClock
    private let pending = Mutex(Pending())

    private static func path(_ directory: String) -> String { directory + "/privacy.json" }

    /// - Parameter directory: the state's; nil for ``Places/state``.
    package init(in directory: String? = nil, clock: ServiceClock = .system) {
        (self.directory, self.clock) = (directory ?? Places.state, clock)
    }

    /// Counts what has left. Several programs may count in one file.
    package func note(_ kind: Departure, to destination: String, messages: Int = 1, items: Int, bytes: Int64 = 0) {
        let now = now, uptime = clock.sinceBoot()
        let entry = LedgerEntry(
            kind: kind, destination: String(destination.prefix(200)), messages: Int64(messages), items: Int64(items), bytes: bytes,
            first: now, last: now)
        let isDue = pending.withLock { pending in
            Self.add(entry, to: &pending.entries)
            if pending.savedAt == nil { pending.savedAt = uptime }
            return uptime - (pending.savedAt ?? 0) >= Self.interval
        }
        // What cannot be written waits for the next time; the end says so.
        if isDue { try? save() }
    }

    /// Writes what was counted since the last time.
    ///
    /// - Throws: those of the disk; `.temporary` while another program writes. The counts wait then.
    package func save() throws(Fault) {
        let waiting = pending.withLock { pending in
            pending.savedAt = clock.sinceBoot()
            defer { pending.entries = [] }
            return pending.entries
        }
        guard !waiting.isEmpty else { return }
        do throws(Fault) {
            try change { content in for entry in waiting { Self.add(entry, to: &content.entries) } }
        } catch {
            pending.withLock { pending in for entry in waiting { Self.add(entry, to: &pending.entries) } }
            throw error
        }
    }

    /// Notes that a place keeps nothing any more of what had left on one way.
    ///
    /// - Throws: as ``save()``.
    package func noteErased(_ kind: Departure, at destination: String? = nil) throws(Fault) {
        let now = now
        try change { content in
            for index in content.entries.indices where content.entries[index].kind == kind && content.entries[index].erased == nil {
                if destination.map({ $0 == content.entries[index].destination }) ?? true { content.entries[index].erased = now }
            }
        }
    }

    /// What is on the disk.
    ///
    /// - Throws: `.permission`, and `.badData` for a file that is none.
    package static func read(in directory: String) throws(Fault) -> Content {
        guard Files.exists(path(directory)) || !Files.target(ofLink: path(directory)).isEmpty else { return Content() }
        let damaged = Fault(
            .badData, "\(path(directory)) does not say what left this board",
            remedy: "The next program that counts puts it aside as privacy.json.damaged, and begins anew.")
        // A pipe would be waited for.
        guard Files.isFile(path(directory)) else { throw damaged }
        let bytes: [UInt8]
        do throws(Fault) { bytes = try Files.read(path(directory), limit: 1 << 20) } catch  where error.code == .permission {
            throw Fault(.permission, error.message, remedy: "Ask as its owner: sudo gaitway privacy, for the service's.")
        }
        guard let found = try? JSONDecoder().decode(Content.self, from: Data(bytes)), found.entries.allSatisfy(\.isBounded),
            found.entries.count <= 2 * mostEntries, (0...LedgerEntry.latest).contains(found.since)
        else { throw damaged }
        return found
    }

    // Of whatever clock: seconds since 1970.
    private var now: Int64 { min(max(0, clock.wall() / 1_000_000_000), LedgerEntry.latest) }

    private func change(_ body: (inout Content) -> Void) throws(Fault) {
        let path = Self.path(directory)
        try Files.makeDirectory(directory)
        var lock = try FileLock(path + ".lock"), tries = 0
        while lock == nil, tries < 40 {
            Pause.milliseconds(50)
            lock = try FileLock(path + ".lock")
            tries += 1
        }
        guard let lock else { throw Fault(.temporary, "another program writes \(path) for two seconds") }
        defer { lock.release() }
        var content: Content
        do throws(Fault) { content = try Self.read(in: directory) } catch  where error.code == .badData {
            try SystemDisk().rename(path, to: path + ".damaged")
            content = Content()
        }
        body(&content)
        let began = content.entries.map(\.first).min() ?? now
        content.since = content.since == 0 ? began : min(content.since, began)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(content) else { return }
        try Files.write(Array(bytes), to: path, isPrivate: true)
    }

    private static func add(_ entry: LedgerEntry, to entries: inout [LedgerEntry]) {
        func place(of entry: LedgerEntry) -> Int? {
            // What leaves after an erasure is another entry: that one stays as it was.
            entries.firstIndex { $0.kind == entry.kind && $0.destination == entry.destination && $0.erased == nil }
        }
        if let index = place(of: entry) { return entries[index].add(entry) }
        // What is erased makes room first.
        if entries.count >= mostEntries, let old = entries.firstIndex(where: { $0.erased != nil }) { entries.remove(at: old) }
        guard entries.count >= mostEntries else { return entries.append(entry) }
        let merged = LedgerEntry(
            kind: entry.kind, destination: elsewhere, messages: entry.messages, items: entry.items, bytes: entry.bytes, first: entry.first,
            last: entry.last)
        // One for each way: the file stays small.
        if let index = place(of: merged) { entries[index].add(merged) } else { entries.append(merged) }
    }
}

internal import FoundationEssentials
package import Support

/// What the user says that the wearer does: a small file that the recorder looks at, so that it outlives a restart.
package struct UserLabel: Codable, Sendable, Equatable {
    package var label: String
    /// Seconds since 1970 after which it no longer holds: a label that is forgotten would spoil what is recorded.
    package var until: Int64

    package init(label: String, until: Int64) { (self.label, self.until) = (label, until) }

    /// Where it lies in the directory of a spool.
    static func path(_ directory: String) -> String { "\(directory)/label.json" }

    /// The label that holds now; nil for none.
    package static func current(in directory: String, now: Int64 = SystemTime.wallSeconds) -> UserLabel? {
        guard let bytes = try? Files.read(path(directory), limit: 4096),
            let found = try? JSONDecoder().decode(Self.self, from: Data(bytes)), found.until > now
        else { return nil }
        return found
    }

    /// - Throws: those of writing a file.
    package func set(in directory: String) throws(Fault) {
        guard let bytes = try? JSONEncoder().encode(self) else { return }
        try Files.write(Array(bytes), to: Self.path(directory))
    }

    package static func clear(in directory: String) throws(Fault) { if Files.exists(path(directory)) { try Files.remove(path(directory)) } }
}

package import Support

/// Copies of a hub's file in a folder, each named by its moment: `hub-20261124T180000Z.sqlite`.
package struct BackupFolder: Sendable {
    package struct Copy: Sendable, Equatable {
        package var path: String
        /// Seconds since 1970.
        package var moment: Double
    }

    package let path: String

    /// Makes the folder, for its owner alone, where it is not there.
    ///
    /// - Throws: those of the disk; `.usage` where it is a file.
    package init(_ path: String) throws(Fault) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        if Files.exists(self.path) && !Files.isDirectory(self.path) {
            throw Fault(.usage, "\(path) is a file", remedy: "Copies that are made again and again take a folder.")
        }
        try Files.makeDirectory(self.path)
    }

    /// The copies that are whole, the oldest first.
    ///
    /// - Throws: `.noInput`, `.permission`.
    package func copies() throws(Fault) -> [Copy] {
        var found: [Copy] = []
        for name in try Files.list(path) {
            if let moment = Self.moment(of: name) { found.append(Copy(path: "\(path)/\(name)", moment: moment)) }
        }
        return found.sorted { $0.moment < $1.moment }
    }

    /// The newest copy that is no newer than a moment; the newest of all for nil.
    ///
    /// - Throws: `.noInput` where there is none.
    package func copy(at moment: Double?) throws(Fault) -> Copy {
        let all = try copies()
        if let found = all.last(where: { copy in moment.map { copy.moment <= $0 } ?? true }) { return found }
        guard let first = all.first else { throw Fault(.noInput, "\(path) has no copy of a hub's file") }
        throw Fault(.noInput, "\(path) has no copy of that time or before", remedy: "The oldest is of \(ISOTime.text(first.moment)).")
    }

    /// Copies what a hub knows now, and removes what is older than `kept` seconds but for the newest copy. A copy has its name once it is
    /// whole.
    ///
    /// - Throws: those of ``HubStore/backUp(to:)``.
    package func add(_ store: HubStore, now: Double, kept: Double) async throws(Fault) -> Copy {
        let name = "\(path)/\(Self.name(of: now))", part = name + ".part"
        if Files.exists(part) { try Files.remove(part) }
        try await store.backUp(to: part)
        try Files.synchronise(file: part)
        try SystemDisk().rename(part, to: name)
        try Files.synchronise(directory: path)
        for copy in try copies().dropLast() where copy.moment < now - kept { try Files.remove(copy.path) }
        for left in try Files.list(path) where left.hasPrefix("hub-") && left.hasSuffix(".part") { try Files.remove("\(path)/\(left)") }
        return Copy(path: name, moment: now.rounded(.down))
    }

    private static func name(of moment: Double) -> String {
        "hub-" + ISOTime.text(moment).filter { $0 != "-" && $0 != ":" } + ".sqlite"
    }

    // hub-20261124T180000Z.sqlite
    private static func moment(of name: String) -> Double? {
        guard name.hasPrefix("hub-"), name.hasSuffix(".sqlite"), name.utf8.count == 27 else { return nil }
        let digits = Array(name.dropFirst(4).prefix(15))
        let parts = [digits[0..<4], digits[4..<6], digits[6..<8], digits[9..<11], digits[11..<13], digits[13..<15]].map { String($0) }
        return ISOTime.seconds("\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z")
    }
}

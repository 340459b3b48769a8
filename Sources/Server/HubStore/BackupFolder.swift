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
        guard !Files.exists(self.path) else { return }
        try Files.makeDirectory(self.path)
        try Files.makePrivate(directory: self.path)
    }

    /// The copies that are whole, the oldest first.
    ///
    /// - Throws: `.noInput`, `.permission`.
    package func copies() throws(Fault) -> [Copy] {
        var found: [Copy] = []
        for name in try Files.list(path) {
            if let moment = Self.moment(of: name), Files.isFile("\(path)/\(name)") {
                found.append(Copy(path: "\(path)/\(name)", moment: moment))
            }
        }
        return found.sorted { $0.moment < $1.moment }
    }

    /// The newest copy that is no newer than a moment.
    ///
    /// - Throws: `.noInput` where there is none.
    package func copy(at moment: Double) throws(Fault) -> Copy {
        let all = try copies()
        if let found = all.last(where: { $0.moment <= moment }) { return found }
        guard let first = all.first else { throw Fault(.noInput, "\(path) has no copy of a hub's file") }
        throw Fault(.noInput, "\(path) has no copy of that time or before", remedy: "The oldest is of \(ISOTime.text(first.moment)).")
    }

    /// Copies what a hub knows now, after it removed what is older than `kept` seconds but for the newest copy. A copy has its name once it
    /// is whole.
    ///
    /// - Throws: those of ``HubStore/backUp(to:)``; `.temporary` while another process makes a copy here.
    package func add(_ store: HubStore, now: Double, kept: Double) async throws(Fault) -> Copy {
        guard let lock = try FileLock("\(path)/.lock") else { throw Fault(.temporary, "another backup goes to \(path)") }
        defer { lock.release() }
        let name = "\(path)/\(Self.name(of: now))", part = "\(path)/hub.part", old = try copies()
        // A full disk gets room first.
        for copy in old where copy.moment < now - kept && copy != old.last { try Files.remove(copy.path) }
        if Files.exists(part) { try Files.remove(part) }
        try await store.backUp(to: part)
        try Files.synchronise(file: part)
        try SystemDisk().rename(part, to: name)
        try Files.synchronise(directory: path)
        if let last = old.last, last.moment < now - kept { try Files.remove(last.path) }
        return Copy(path: name, moment: now.rounded(.down))
    }

    private static func name(of moment: Double) -> String {
        "hub-" + ISOTime.text(moment).filter { $0 != "-" && $0 != ":" } + ".sqlite"
    }

    // hub-20261124T180000Z.sqlite
    private static func moment(of name: String) -> Double? {
        let bytes = Array(name.utf8)
        guard bytes.count == 27, bytes.allSatisfy({ $0 < 0x80 }), name.hasPrefix("hub-"), name.hasSuffix("Z.sqlite") else { return nil }
        let text = [4..<8, 8..<10, 10..<12, 13..<15, 15..<17, 17..<19].map { String(decoding: bytes[$0], as: UTF8.self) }
        return ISOTime.seconds("\(text[0])-\(text[1])-\(text[2])T\(text[3]):\(text[4]):\(text[5])Z")
    }
}

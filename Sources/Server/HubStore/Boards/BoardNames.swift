internal import HubDatabase
package import Support

/// What people call a board, and the tags that they give it.
package struct BoardNames: Sendable, Equatable {
    /// nil for the board's own name.
    package var name: String?
    package var tags: [String]

    package static let longestName = 100, longestTag = 40, mostTags = 20

    /// - Throws: `.usage` for a name or a tag that is too long or has control characters, and for more than 20 tags.
    package init(name: String?, tags: [String]) throws(Fault) {
        let name = name.map { String($0.trimmed) }.flatMap { $0.isEmpty ? nil : $0 }
        func isText(_ text: String, atMost length: Int) -> Bool {
            (1...length).contains(text.utf8.count) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        guard name.map({ isText($0, atMost: Self.longestName) }) ?? true else {
            throw Fault(.usage, "a board's name has at most \(Self.longestName) bytes and no control characters")
        }
        for tag in tags where !isText(tag, atMost: Self.longestTag) || tag.contains(where: { $0 == "," || $0.isWhitespace }) {
            throw Fault(.usage, "\"\(tag)\" is no tag: it has 1 to \(Self.longestTag) bytes without spaces and commas")
        }
        var unique: [String] = []
        for tag in tags where !unique.contains(tag) { unique.append(tag) }
        guard unique.count <= Self.mostTags else { throw Fault(.usage, "a board has at most \(Self.mostTags) tags") }
        (self.name, self.tags) = (name, unique)
    }

    // Each between two line breaks.
    fileprivate var tagColumn: String { tags.isEmpty ? "" : "\n\(tags.joined(separator: "\n"))\n" }

    static func tags(_ column: String) -> [String] { column.split(separator: "\n").map(String.init) }

    /// What is searched and sorted by: the shown name first.
    fileprivate func search(identifier: String) -> String {
        Self.lowercased(([name, identifier].compactMap(\.self) + tags).joined(separator: " "))
    }

    /// A text as LIKE takes it by its characters, with small letters as ``lowercased(_:)`` makes them.
    static func literal(_ text: String) -> String {
        String(decoding: lowercased(text).utf8.flatMap { "%_\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
    }

    // As SQLite's `lower`: in ASCII.
    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// A board that registers is found by its own name.
    static func begin(org: String, identifier: String, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO names (device_id, org, search) SELECT id, org, ? FROM devices WHERE org = ? AND identifier = ?
                ON CONFLICT (device_id) DO NOTHING
                """, arguments: [lowercased(identifier), org, identifier])
    }

    /// Boards that a server of an older version registered meanwhile.
    static func complete(_ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO names (device_id, org, search)
                SELECT id, org, lower(identifier) FROM devices WHERE NOT EXISTS (SELECT 1 FROM names n WHERE n.device_id = devices.id)
                ON CONFLICT (device_id) DO NOTHING
                """)
    }

    fileprivate func save(_ device: Device, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE names SET name = ?, tags = ?, search = ? WHERE device_id = ?",
            arguments: [name, tagColumn, search(identifier: device.identifier), device.id])
    }
}

extension HubStore {
    /// Changes what a board is called.
    ///
    /// - Parameter change: is given what it is called now.
    /// - Returns: the board; nil when there is none.
    package func rename(
        device id: String, org: String, _ change: @Sendable @escaping (inout BoardNames) throws(Fault) -> Void
    ) async throws(Fault) -> Device? {
        try await writeBeats()
        return try await write { database in
            let found = { try Row.fetchOne(database, sql: "SELECT \(Device.columns) WHERE d.id = ? AND d.org = ?", arguments: [id, org]) }
            guard let device = try found().map({ Device($0) }) else { return nil }
            var names = try BoardNames(name: device.name, tags: device.tags)
            try change(&names)
            let checked = try BoardNames(name: names.name, tags: names.tags)
            // Who names a board by what it calls itself means that one.
            let other =
                checked.name == device.name
                ? nil
                : try String.fetchOne(
                    database, sql: "SELECT identifier FROM devices WHERE org = ? AND id <> ? AND (identifier = ? OR id = ?)",
                    arguments: [org, id, checked.name, checked.name])
            if let other { throw Fault(.usage, "another board calls itself \(Printable.text(other))") }
            try checked.save(device, database)
            return try found().map { Device($0) }
        }
    }

    private static let mostTags = 500

    /// The tags that boards have, by name; 500 at most.
    package func tags(org: String) async throws(Fault) -> [String] {
        try await read { database in
            let columns = try String.fetchAll(
                database, sql: "SELECT DISTINCT tags FROM names WHERE org = ? AND tags <> ''", arguments: [org])
            return Array(Set(columns.flatMap(BoardNames.tags)).sorted().prefix(Self.mostTags))
        }
    }
}

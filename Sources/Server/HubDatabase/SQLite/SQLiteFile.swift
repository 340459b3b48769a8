internal import GRDB
package import Support

/// A hub's SQLite file, while no storage has it open.
package enum SQLiteFile {
    /// Makes it with its directory, for its owner alone: SQLite's own files beside it get the same mode.
    package static func prepare(_ path: String) throws(Fault) {
        guard !Files.exists(path) else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try Files.makeDirectory(String(path[..<slash])) }
        try Files.write([], to: path, isPrivate: true)
    }

    /// Writes the contents of a copy to a file that is empty.
    ///
    /// - Parameter name: what faults call the copy.
    /// - Throws: `.badData` for a copy that is none of a hub's, `.configuration` for a newer one.
    package static func unpack(_ copy: String, called name: String, to path: String, _ migrations: [Migration]) throws(Fault) {
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let database = try DatabaseQueue(path: copy, configuration: configuration), migrator = migrator(migrations)
            let (isNewer, known) = try database.read { (try migrator.hasBeenSuperseded($0), try migrator.appliedIdentifiers($0)) }
            guard !known.isEmpty else { throw Fault(.badData, "\(name) is no copy of a hub's file") }
            guard !isNewer else { throw Fault(.configuration, "\(name) was made by a newer gaitway-hub") }
            try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            try database.close()
        } catch {
            throw fault(error, name)
        }
    }

    static func migrator(_ migrations: [Migration]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration("\(migration.number)") { database in
                try database.execute(sql: migration.sql)
                if let more = migration.inFiles { try database.execute(sql: more) }
            }
        }
        return migrator
    }

    static func fault(_ error: any Error, _ path: String) -> Fault {
        if let fault = error as? Fault { return fault }
        guard let error = error as? DatabaseError else { return Fault(.failure, "\(path): \(error)") }
        return switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            Fault(.badData, "\(path) is no hub's database, or is damaged", remedy: "Restore it from a copy, or name another with --data.")
        case .SQLITE_CANTOPEN: Fault(.noInput, "\(path) cannot be opened", remedy: "Does its directory exist, and may you write there?")
        case .SQLITE_FULL: Fault(.temporary, "the disk with \(path) is full")
        case .SQLITE_READONLY, .SQLITE_PERM: Fault(.permission, "\(path) cannot be written")
        // What it was to be of went away while the request was on its way.
        case .SQLITE_CONSTRAINT: Fault(.usage, "what this belongs to was removed meanwhile")
        case .SQLITE_BUSY: Fault(.temporary, "\(path) is held by another program")
        default: Fault(.failure, "\(path): \(error.message ?? "\(error.resultCode)")")
        }
    }
}

internal import CPostgres
internal import Support

/// Addresses of databases.
enum PostgresAddress {
    /// What faults and logs call it: host, port and database, never a password.
    ///
    /// - Throws: `.usage` for one that libpq cannot read, without quoting it.
    static func name(_ address: String) throws(Fault) -> String {
        guard let options = unsafe PQconninfoParse(address, nil) else {
            throw Fault(.usage, "the database's address cannot be read", remedy: "Write it as postgresql://USER@HOST:PORT/DATABASE.")
        }
        defer { unsafe PQconninfoFree(options) }
        var found: [String: String] = [:], option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { unsafe found[String(cString: keyword)] = unsafe String(cString: value) }
            unsafe option += 1
        }
        // An unescaped @, / or ? of a password ends up in one of these.
        let parts = [found["host"], found["port"], found["dbname"], found["hostaddr"]].compactMap { $0 }
        guard parts.allSatisfy({ !$0.contains("@") }), (found["port"] ?? "").allSatisfy({ $0.isNumber || $0 == "," }) else {
            throw Fault(
                .usage, "the database's address cannot be read",
                remedy: "In a password @ is written %40, / %2F, ? %3F, % %25; or it is in ~/.pgpass.")
        }
        guard let name = found["dbname"], !name.isEmpty else {
            throw Fault(.usage, "the address names no database", remedy: "Write it as postgresql://USER@HOST:PORT/DATABASE.")
        }
        let port = found["port"].map { ":\($0)" } ?? ""
        return "postgresql://\(found["host"] ?? found["hostaddr"] ?? "")\(port)/\(name)"
    }
}

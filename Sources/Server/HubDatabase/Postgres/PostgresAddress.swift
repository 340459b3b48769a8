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
        let port = found["port"].map { ":\($0)" } ?? ""
        return "postgresql://\(found["host"] ?? found["hostaddr"] ?? "")\(port)/\(found["dbname"] ?? "")"
    }
}

internal import Support

/// What PostgreSQL refused, or that it is not there.
struct PostgresError: Error {
    /// Of SQLSTATE; empty where no server said it.
    var state: String
    var message: String

    /// Whether another connection may do what this one cannot: it is gone, its server is to stop or reads only, or tables were changed
    /// under its statements.
    var isLost: Bool {
        state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || ["25P03", "25006", "0A000", "26000"].contains(state)
    }

    /// Whether the same transaction may go through when it is tried again at once.
    var isTransient: Bool { state == "40001" || state == "40P01" }

    /// Where a hub begins.
    func startFault(_ name: String) -> Fault {
        switch state {
        case "": Fault(.temporary, "\(name) is not there: \(message)")
        case "42501": Fault(.permission, "\(name): \(message)")
        case _ where state.hasPrefix("28"): Fault(.permission, "\(name): \(message)")
        case _ where state.hasPrefix("3D"): Fault(.noInput, "\(name): \(message)", remedy: "Make it: createdb.")
        default: fault(name)
        }
    }

    /// While it runs: its message is for those who ask, and names no machine; the remedy is for the log.
    func fault(_ name: String) -> Fault {
        switch state {
        case "53100": Fault(.temporary, "the disk of the hub's database is full", remedy: "\(name): \(message)")
        case "22021": Fault(.usage, "a text has a character that the hub's database cannot keep")
        // What it was to be of went away while the request was on its way.
        case _ where state.hasPrefix("23"): Fault(.usage, "what this belongs to was removed meanwhile")
        // It is away, busy, starts, stops, does not let this hub in any more, or another transaction was in the way.
        case _ where isLost || isTransient || ["28", "3D", "53", "55", "57"].contains(String(state.prefix(2))) || state == "42501":
            Fault(.temporary, "the hub's database cannot be used just now", remedy: "\(name): \(message)")
        default: Fault(.failure, "\(name): \(message) (\(state))")
        }
    }
}

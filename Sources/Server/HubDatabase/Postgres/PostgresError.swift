internal import Support

/// What PostgreSQL refused, or that it is not there.
struct PostgresError: Error {
    /// Of SQLSTATE; empty where no server said it.
    var state: String
    var message: String

    /// Whether the connection is of no use any more.
    var isLost: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03" }

    /// Whether the same transaction may go through when it is tried again at once.
    var isTransient: Bool { state == "40001" || state == "40P01" }

    func fault(_ name: String) -> Fault {
        switch state {
        case "": Fault(.temporary, "\(name) is not there: \(message)")
        case "42501": Fault(.permission, "\(name): \(message)")
        case "53100": Fault(.temporary, "the disk of \(name) is full")
        case "22021": Fault(.usage, "a text has a character that \(name) cannot keep")
        case _ where state.hasPrefix("28"): Fault(.permission, "\(name): \(message)")
        case _ where state.hasPrefix("3D"): Fault(.noInput, "\(name): \(message)", remedy: "Make it: createdb.")
        // What it was to be of went away while the request was on its way.
        case _ where state.hasPrefix("23"): Fault(.usage, "what this belongs to was removed meanwhile")
        // It is busy, starts, stops, or another transaction was in the way.
        case _ where isLost || isTransient || state.hasPrefix("53") || state.hasPrefix("55") || state.hasPrefix("57"):
            Fault(.temporary, "\(name): \(message)")
        default: Fault(.failure, "\(name): \(message) (\(state))")
        }
    }
}

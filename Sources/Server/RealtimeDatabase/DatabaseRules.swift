/// Crowd-ML's rules: everybody reads what the server tells, nobody writes it; each user reads and writes what is their own.
package enum DatabaseCaller: Sendable, Equatable {
    case nobody
    /// By uid.
    case user(String)
    /// Who runs the crowd: reads everything, and writes nothing either: that is the server's.
    case person

    /// Nobody reads all users at once but a person: what devices send is theirs.
    package func mayRead(_ path: NodePath) -> Bool {
        guard self != .person, let first = path.names.first else { return self == .person }
        return first == "users" ? owns(path) : true
    }

    package func mayWrite(_ path: NodePath) -> Bool { owns(path) }

    private func owns(_ path: NodePath) -> Bool {
        guard case .user(let uid) = self, path.names.count >= 2 else { return false }
        return path.names[0] == "users" && path.names[1] == uid
    }
}

internal import Glibc

/// Where Gaitway keeps things.
package enum Places {
    /// What must outlive a restart: systemd's $STATE_DIRECTORY, else $XDG_STATE_HOME/gaitway, else ~/.local/state/gaitway; root's is
    /// the service's, /var/lib/gaitway.
    package static var state: String {
        if let given = variable("STATE_DIRECTORY") { return String(given.prefix { $0 != ":" }) }
        if let given = variable("XDG_STATE_HOME") { return given + "/gaitway" }
        // Root's also while its rights are given up (OwnersRights): by the user that started this process.
        if getuid() == 0 { return service }
        return (variable("HOME") ?? ".") + "/.local/state/gaitway"
    }

    /// The service's.
    package static let service = "/var/lib/gaitway"

    /// The file of a credential that systemd has decrypted for this service (LoadCredentialEncrypted=); nil where there is none.
    package static func credential(_ name: String) -> String? {
        guard let path = variable("CREDENTIALS_DIRECTORY").map({ "\($0)/\(name)" }), Files.exists(path) else { return nil }
        return path
    }

    /// Whether the environment says where, for whatever runs in it.
    package static var isGiven: Bool { variable("STATE_DIRECTORY") != nil || variable("XDG_STATE_HOME") != nil }

    private static func variable(_ name: String) -> String? {
        guard let text = unsafe getenv(name).map({ unsafe String(cString: $0) }), !text.isEmpty else { return nil }
        return text
    }
}

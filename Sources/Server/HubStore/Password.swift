internal import CCrypt
internal import Support

/// yescrypt hashes of passwords.
enum Password {
    /// One that no password has, to compare with where there is no account: it takes as long.
    static let nobody = (try? hash(Secret.token("none"))) ?? ""

    /// - Throws: `.usage` for one that cannot be, `.failure` where the system makes none.
    static func hash(_ password: String) throws(Fault) -> String {
        guard isPossible(password) else { throw Fault(.usage, "a password has 6 to 200 bytes, and no zero among them") }
        var out = [CChar](repeating: 0, count: Int(GW_PASSWORD_SIZE))
        guard unsafe password.withCString({ unsafe gw_password_hash($0, &out) }) else {
            throw Fault(.failure, "the system's libcrypt makes no hash")
        }
        return String(decoding: out.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func matches(_ password: String, _ hash: String) -> Bool {
        guard isPossible(password) else { return false }
        return unsafe password.withCString { password in unsafe hash.withCString { unsafe gw_password_matches(password, $0) } }
    }

    private static func isPossible(_ password: String) -> Bool { (6...200).contains(password.utf8.count) && !password.utf8.contains(0) }
}

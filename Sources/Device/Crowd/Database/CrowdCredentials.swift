package import Support

/// Who takes part.
package protocol CrowdCredentials: Sendable {
    /// The user's ID, and a token that is good now.
    ///
    /// - Parameter renewing: whether the last one was refused.
    /// - Throws: `.permission`, `.temporary`.
    func session(renewing: Bool) throws(Fault) -> (uid: String, token: String)
}

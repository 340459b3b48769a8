/// What a person's token allows in its organisation.
package enum Role: String, Sendable, CaseIterable {
    /// To look.
    case viewer
    /// To change models, roll-outs, groups and experiments as well.
    case `operator`
    /// To delete and to revoke as well.
    case owner

    /// Whether a request of that method is within it.
    package func allows(method: String) -> Bool {
        switch self {
        case .owner: true
        case .operator: method != "DELETE"
        case .viewer: method == "GET" || method == "HEAD"
        }
    }
}

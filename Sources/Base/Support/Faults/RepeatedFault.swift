/// What went wrong last, so that a log has it once and not with every attempt.
package struct RepeatedFault: Sendable {
    private var last: String?

    package init() {}

    /// Whether something is going wrong.
    package var isPresent: Bool { last != nil }

    /// Notes what goes wrong now.
    ///
    /// - Returns: whether it is something else than before.
    package mutating func isNew(_ message: String) -> Bool {
        defer { last = message }
        return message != last
    }

    /// It went well.
    ///
    /// - Returns: whether something had gone wrong before.
    @discardableResult
    package mutating func clear() -> Bool {
        defer { last = nil }
        return last != nil
    }
}

package import HubStore
package import Support

/// Where alerts go.
package protocol AlertChannel: Sendable {
    /// For messages.
    var name: String { get }

    /// Sends alerts, ``AlertService/most`` of them at most.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: whether they were taken; false where these will not be taken as they are.
    /// - Throws: where that can be tried again.
    func send(_ alerts: [Alert], at now: Double) async throws(Fault) -> Bool
}

extension Alert {
    /// "kitchen: low battery, no more"
    var line: String {
        let reason = reason.rawValue.split(separator: "_").joined(separator: " ")
        return "\(Printable.text(name)): \(reason)\(hasBegun ? "" : ", no more")"
    }

    /// - Parameter now: seconds since 1970.
    func json(at now: Double) -> JSONValue {
        [
            "device_id": .string(device), "device_identifier": .string(identifier), "name": .string(name), "org_id": .string(org),
            "reason": .string(reason.rawValue), "state": hasBegun ? "begun" : "ended",
            "at": .string(ISOTime.text(hasBegun ? since : now)),
        ]
    }
}

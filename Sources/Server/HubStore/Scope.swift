package import Support

/// What a device's token allows.
package enum Scope: String, Sendable, CaseIterable {
    case readsDevice = "devices:read"
    /// All that a device does for itself: EdgeML's clients ask for nothing else.
    case writesDevice = "devices:write"
    case readsModels = "models:read"
    case writesTelemetry = "telemetry:write"
    case readsTraining = "training:read"
    case writesTraining = "training:write"

    /// - Throws: `.usage` for names of none.
    package static func all(_ names: [String]) throws(Fault) -> [Scope] {
        var found: [Scope] = []
        for name in names {
            guard let scope = Scope(rawValue: name) else {
                throw Fault(
                    .usage, "there is no scope \(name)",
                    remedy: "There are \(Scope.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            if !found.contains(scope) { found.append(scope) }
        }
        return found
    }

    /// Whether this one allows what another does.
    package func covers(_ other: Scope) -> Bool {
        self == other || self == .writesDevice || (self == .writesTraining && other == .readsTraining)
    }

    /// What both are for; `wanted` where nothing limits it.
    package static func narrow(_ wanted: [Scope], to allowed: [Scope]) -> [Scope] {
        if allowed.isEmpty { return wanted }
        return allCases.filter { scope in
            wanted.contains { $0.covers(scope) } && allowed.contains { $0.covers(scope) }
                && (wanted.contains(scope) || allowed.contains(scope))
        }
    }
}

internal import Support

/// What a board says of the versions of a model: those that it tries, runs, and does not want.
public struct ModelReport: Sendable, Equatable {
    public struct Version: Sendable, Equatable {
        public var version: Int
        /// "shadow", "probation", "committed", "refused" or "rolled_back".
        public var state: String
        public var reason: String

        public init(version: Int, state: String, reason: String = "") { (self.version, self.state, self.reason) = (version, state, reason) }
    }

    public var model: String
    /// No version up to this one is of use.
    public var highest: Int
    /// What matters most first.
    public var versions: [Version]

    public init(model: String, highest: Int, versions: [Version]) { (self.model, self.highest, self.versions) = (model, highest, versions) }

    var json: JSONValue {
        [
            "model_id": .string(model), "highest_version": .integer(highest),
            "versions": .array(versions.map { ["version": .integer($0.version), "state": .string($0.state), "reason": .string($0.reason)] }),
        ]
    }
}

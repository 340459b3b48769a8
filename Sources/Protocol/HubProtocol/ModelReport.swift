package import Support

/// What a board says of the versions of a model: those that it tries, runs, and does not want. It goes with heartbeats, as `models`.
public struct ModelReport: Sendable, Equatable {
    /// A version and how it did.
    public struct Version: Sendable, Equatable {
        /// From 1.
        public var version: Int
        /// How it did on this board.
        public var state: ModelState
        /// Why it is not wanted; empty otherwise.
        public var reason: String

        /// A version in a state, with the reason of a refusal.
        public init(version: Int, state: ModelState, reason: String = "") {
            (self.version, self.state, self.reason) = (version, state, reason)
        }
    }

    /// The hub's name of the model, or its ID.
    public var model: String
    /// Of the files that the board takes.
    package var format = UploadedFile.gaitways
    /// No version up to this one is of use to the board.
    public var highest: Int
    /// What matters most first.
    public var versions: [Version]

    /// The report of a model, with the highest version that the board ever had.
    public init(model: String, highest: Int, versions: [Version]) { (self.model, self.highest, self.versions) = (model, highest, versions) }

    // Of a report that comes from elsewhere.
    private static let longestName = 200, longestReason = 500

    package var json: JSONValue {
        [
            "model_id": .string(model), "highest_version": .integer(highest), "format": .string(format),
            "versions": .array(
                versions.map { ["version": .integer($0.version), "state": .string($0.state.rawValue), "reason": .string($0.reason)] }),
        ]
    }

    /// nil when it is none; versions in states that are not known are left out.
    package init?(_ value: JSONValue) {
        guard let model = value["model_id"]?.text, model.utf8.count <= Self.longestName,
            let highest = Self.version(value["highest_version"])
        else { return nil }
        var versions: [Version] = []
        if case .array(let found)? = value["versions"] {
            versions = found.compactMap { entry in
                guard let version = Self.version(entry["version"]), let state = entry["state"]?.text.flatMap(ModelState.init(rawValue:))
                else { return nil }
                return Version(version: version, state: state, reason: String((entry["reason"]?.text ?? "").prefix(Self.longestReason)))
            }
        }
        self.init(model: model, highest: highest, versions: versions)
        if value["format"]?.text == UploadedFile.program { format = UploadedFile.program }
    }

    /// A version: a whole number, or one as text.
    package static func version(_ value: JSONValue?) -> Int? { value?.text.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
}

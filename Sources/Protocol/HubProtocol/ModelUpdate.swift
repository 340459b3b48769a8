package import Support

/// A version of a model that a hub offers to a board.
public struct ModelUpdate: Sendable, Equatable {
    /// The version to take, a whole number as text.
    public var newVersion: String
    /// SHA-256 of the file, 64 hexadecimal digits; nil where the hub does not tell it.
    public var checksum: String?
    /// Bytes.
    public var size: Int?
    /// What changed.
    public var releaseNotes: String?
    /// Whether it is to be taken without asking.
    public var isRequired: Bool

    package init(newVersion: String, checksum: String? = nil, size: Int? = nil, releaseNotes: String? = nil, isRequired: Bool = false) {
        (self.newVersion, self.checksum, self.size, self.releaseNotes, self.isRequired) = (
            newVersion, checksum, size, releaseNotes, isRequired
        )
    }

    /// nil when the answer names no version.
    package init?(_ answer: JSONValue) {
        guard let version = answer["new_version"]?.text else { return nil }
        self.init(
            newVersion: version, checksum: answer["checksum"]?.text, size: answer["update_size"]?.number.flatMap { Int(exactly: $0) },
            releaseNotes: answer["release_notes"]?.text, isRequired: answer["is_required"] == true)
    }

    package func json(current: String) -> JSONValue {
        .members([
            ("new_version", .string(newVersion)), ("current_version", .string(current)), ("is_required", .bool(isRequired)),
            ("release_notes", JSONValue(releaseNotes)),
            ("update_size", JSONValue(size)), ("checksum", JSONValue(checksum)),
        ])
    }
}

/// The version that a hub assigns to a board.
public struct AssignedVersion: Sendable, Equatable {
    /// The version: a whole number as text, or what its author calls it.
    public var version: String
    /// Its number, where the hub tells it.
    public var number: Int?
    /// "rollout", "experiment", ...
    public var source: String?
    /// The roll-out that assigned it.
    public var rolloutId: String?
    /// The experiment that assigned it.
    public var experimentId: String?
    /// Which of the experiment's versions it is.
    public var variant: String?
    /// Where the board is among those of a roll-out or an experiment, percent.
    public var deviceBucket: Int?

    package init(version: String, number: Int? = nil, rollout: Int? = nil, experiment: String? = nil, variant: String? = nil, bucket: Int) {
        (self.version, self.number, deviceBucket) = (version, number, bucket)
        (source, rolloutId) = (rollout == nil ? "experiment" : "rollout", rollout.map { "\($0)" })
        (experimentId, self.variant) = (experiment, variant)
    }

    /// nil when the answer names no version.
    package init?(_ answer: JSONValue) {
        guard let version = answer["version"]?.text else { return nil }
        (self.version, source, rolloutId, experimentId) = (
            version, answer["source"]?.text, answer["rollout_id"]?.text, answer["experiment_id"]?.text
        )
        (number, variant) = (ModelReport.version(answer["version_number"]), answer["variant"]?.text)
        deviceBucket = answer["device_bucket"]?.number.flatMap { Int(exactly: $0) }
    }

    /// A roll-out's number is one here, as EdgeML's clients read it.
    package var members: [(String, JSONValue?)] {
        [
            ("version", .string(version)), ("version_number", JSONValue(number)), ("source", JSONValue(source)),
            ("rollout_id", rolloutId.map { Int($0).map { .integer($0) } ?? .string($0) }), ("experiment_id", JSONValue(experimentId)),
            ("variant", JSONValue(variant)), ("device_bucket", JSONValue(deviceBucket)),
        ]
    }
}

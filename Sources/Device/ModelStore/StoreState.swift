internal import FoundationEssentials
internal import NeuralNetwork
internal import Support

/// What a board keeps of its models from start to start: models/state.json.
struct StoreState: Codable, Equatable {
    /// A model in the store: its directory's name is its checksum.
    struct Entry: Codable, Equatable {
        var version: Int
        /// SHA-256, 64 hexadecimal digits.
        var checksum: String
    }

    struct Candidate: Codable, Equatable {
        var entry: Entry
        var stage: ModelStage
        /// How often a program began with it.
        var starts = 0
    }

    var format = 1
    /// The one that runs for good; nil for the configuration's.
    var current: Entry?
    /// The one before it.
    var previous: Entry?
    var candidate: Candidate?
    /// No version up to this one is taken any more.
    var highest = 0
    /// The version of the list of keys whose ``KeyList/highest`` counted last.
    var keys: Int?
    /// The newest first.
    var refused: [RefusedModel] = []
    /// Whether new models stay away.
    var isPinned = false
    /// The latest time that this board knows to have been, seconds since 1970.
    var latestTime: Int64 = 0

    static let refusedLimit = 32

    mutating func refuse(_ entry: Entry, _ reason: String, wasRunning: Bool, at time: Int64) {
        refused.removeAll { $0.version == entry.version && $0.checksum == entry.checksum }
        refused.insert(
            RefusedModel(version: entry.version, checksum: entry.checksum, reason: reason, wasRunning: wasRunning, at: time), at: 0)
        refused = Array(refused.prefix(Self.refusedLimit))
    }

    /// A newer list of keys says up to where versions were right: what was signed above that is forgotten.
    mutating func recover(by list: KeyList?, base: Int) {
        guard let list, list.version > keys ?? 0 else { return }
        keys = list.version
        if let right = list.highest, highest > right { highest = max(right, base, current?.version ?? 0) }
    }

    init() {}

    /// nil when it is none.
    init?(_ bytes: [UInt8]) {
        guard let found = try? JSONDecoder().decode(StoreState.self, from: Data(bytes)), found.format == 1 else { return nil }
        self = found
    }

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }
}

/// How far a new model is.
package enum ModelStage: String, Codable, Sendable {
    /// It classifies beside the old one, without effect.
    case shadow
    /// It decides, and is watched.
    case probation
}

/// A version that is not tried again, and why.
package struct RefusedModel: Codable, Sendable, Equatable {
    package var version: Int
    /// As it was offered; empty where nobody told it.
    package var checksum: String
    package var reason: String
    /// Whether it had decided before it was taken back.
    package var wasRunning: Bool
    /// Seconds since 1970.
    package var at: Int64
}

/// What a store tells of itself.
package struct StoreStatus: Sendable, Equatable {
    /// The version that runs for good, where it is one of the store's.
    package var current: Int?
    package var previous: Int?
    package var candidate: Int?
    package var stage: ModelStage?
    package var highest: Int
    package var isPinned: Bool
    package var refused: [RefusedModel]
}

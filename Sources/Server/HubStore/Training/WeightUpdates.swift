internal import HubDatabase
package import Support
package import WeightFiles

/// Weights that a board learnt.
package struct WeightUpdate: Sendable {
    package var device: String
    /// Whether they are what changed, not what they are now.
    package var isDelta: Bool
    package var samples: Int
    /// What the board measured: a JSON object.
    package var metrics: String
    package var weights: WeightFile

    package init(device: String, isDelta: Bool, samples: Int, metrics: String, weights: WeightFile) {
        (self.device, self.isDelta, self.samples, self.metrics, self.weights) = (device, isDelta, samples, metrics, weights)
    }
}

extension HubStore {
    // Of all updates of a round: they are joined in memory.
    private static let mostWeights = 1 << 24

    /// Keeps a board's update of a round; a later one takes its place.
    ///
    /// - Throws: `.usage` when the round has ended, has as many as it takes, or the weights are of another shape than those before.
    /// - Returns: how many the round has.
    package func add(_ update: WeightUpdate, to round: TrainingRound, now: Double) async throws(Fault) -> Int {
        try await write { database in
            let state = try String.fetchOne(database, sql: "SELECT state FROM rounds WHERE id = ?", arguments: [round.id])
            guard state == TrainingRound.State.waiting.rawValue, now < round.created + Double(round.settings.minutes) * 60 else {
                throw Fault(.usage, "round \(round.id) takes no more updates")
            }
            let others =
                try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM updates WHERE round = ? AND device_id <> ?", arguments: [round.id, update.device])
                ?? 0
            guard others < round.settings.most ?? 10_000 else { throw Fault(.usage, "round \(round.id) has all of its updates") }
            guard (others + 1) * update.weights.values.count <= HubStore.mostWeights else {
                throw Fault(.usage, "round \(round.id) has as many weights as this hub joins at once")
            }
            let first = try [UInt8].fetchOne(
                database, sql: "SELECT weights FROM updates WHERE round = ? LIMIT 1", arguments: [round.id])
            if let first, try !WeightFile([UInt8](first)).fits(update.weights) {
                throw Fault(.usage, "the weights have other shapes than those that round \(round.id) has already")
            }
            try database.execute(
                sql: """
                    INSERT INTO updates (round, device_id, is_delta, samples, metrics, weights, at) VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (round, device_id) DO UPDATE SET is_delta = excluded.is_delta, samples = excluded.samples,
                        metrics = excluded.metrics, weights = excluded.weights, at = excluded.at
                    """,
                arguments: [
                    round.id, update.device, update.isDelta, update.samples, update.metrics, update.weights.bytes, now,
                ])
            return others + 1
        }
    }

    package func updates(of round: TrainingRound) async throws(Fault) -> [WeightUpdate] {
        try await read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM updates WHERE round = ? ORDER BY at, device_id", arguments: [round.id]).map {
                WeightUpdate(
                    device: $0["device_id"], isDelta: $0["is_delta"], samples: $0["samples"], metrics: $0["metrics"],
                    weights: try WeightFile(($0["weights"] as [UInt8])))
            }
        }
    }

    /// A new version out of a round's updates, and the end of the round.
    ///
    /// - Parameters:
    ///   - least: how many updates it takes.
    ///   - name: of the new version; its number alone when nil.
    /// - Throws: `.usage` when there are too few, or changes without weights that they are to.
    package func aggregate(
        _ round: TrainingRound, of model: HubModel, least: Int, number: Int?, name: String?, publish: Bool, now: Double
    ) async throws(Fault) -> ModelVersion {
        guard round.state == .waiting else { throw Fault(.usage, "round \(round.id) has ended") }
        let updates = try await updates(of: round)
        guard let first = updates.first, updates.count >= max(1, least) else {
            throw Fault(.usage, "round \(round.id) has \(updates.count) updates, and \(max(1, least)) are needed")
        }
        var base = try await weights(of: model, version: round.base)
        // Boards and people keep to a model of another kind until somebody publishes the weights.
        let isNewKind = base == nil
        if base?.fits(first.weights) == false { base = nil }
        let values = try FederatedMean.of(updates, base: base?.values, clip: round.settings.clip)
        guard values.allSatisfy(\.isFinite) else {
            throw Fault(.usage, "the mean of the updates is beyond what a number holds", remedy: "Begin another round, with clip_norm.")
        }
        guard let file = first.weights.with(values) else { throw Fault(.failure, "the weights could not be joined") }
        var new = NewVersion(version: number, name: name, bytes: file.bytes, description: "of \(updates.count) boards, round \(round.id)")
        (new.format, new.status) = (file.format == .numpy ? "npy" : "ptth", publish && !isNewKind ? .published : .draft)
        // A round gives one version, whoever asks at the same time and wherever it is cut off.
        return try await write { [new] database in
            let present = try Row.fetchOne(
                database, sql: "SELECT state, (SELECT COUNT(*) FROM updates WHERE round = id) AS updates FROM rounds WHERE id = ?",
                arguments: [round.id])
            guard let present, present["state"] == TrainingRound.State.waiting.rawValue, present["updates"] == updates.count else {
                throw Fault(.usage, "round \(round.id) has changed meanwhile", remedy: "Look at it, and ask again.")
            }
            let made = try HubStore.insert(new, model, now, database)
            try HubStore.end(round, as: .completed, result: made.version, now, database)
            return made
        }
    }

    /// The weights that a version consists of; nil where it is no such file.
    package func weights(of model: HubModel, version: Int) async throws(Fault) -> WeightFile? {
        guard let version = try await self.version(version, of: model), ["npy", "ptth"].contains(version.format),
            let bytes = try await bytes(of: version)
        else { return nil }
        return try? WeightFile(bytes)
    }

    /// Whether a board's update of a round is there.
    package func has(_ device: String, sentTo round: TrainingRound) async throws(Fault) -> Bool {
        try await read {
            try Row.fetchOne($0, sql: "SELECT 1 FROM updates WHERE round = ? AND device_id = ?", arguments: [round.id, device]) != nil
        }
    }

    /// A board's own weights, which nobody else gets.
    package func keepPersonal(_ weights: WeightFile, metrics: String, of device: String, now: Double) async throws(Fault) {
        try await write {
            try $0.execute(
                sql: """
                    INSERT INTO personal (device_id, weights, metrics, updates, at) VALUES (?, ?, ?, 1, ?)
                    ON CONFLICT (device_id) DO UPDATE SET weights = excluded.weights, metrics = excluded.metrics,
                        updates = personal.updates + 1, at = excluded.at
                    """, arguments: [device, weights.bytes, metrics, now])
        }
    }

    /// nil where the board never sent any.
    package func personal(of device: String) async throws(Fault) -> (weights: [UInt8], metrics: String, updates: Int, at: Double)? {
        try await read {
            try Row.fetchOne($0, sql: "SELECT * FROM personal WHERE device_id = ?", arguments: [device]).map {
                (($0["weights"] as [UInt8]), $0["metrics"], $0["updates"], $0["at"])
            }
        }
    }
}

/// What comes of a round's updates: the weights before, and the robust mean of what the boards changed.
enum FederatedMean {
    /// - Parameter base: the weights before; where there are none, each coordinate's median stands for them.
    /// - Throws: `.usage` for changes without weights that they are to.
    static func of(_ updates: [WeightUpdate], base: [Float]?, clip: Double?) throws(Fault) -> [Float] {
        let whole = updates.filter { !$0.isDelta }.map(\.weights.values)
        guard let base = base ?? (whole.isEmpty ? nil : RobustMean.median(of: whole)) else {
            throw Fault(
                .usage, "the updates are changes, and their base version has no such weights",
                remedy: "Upload the weights (npy or ptth) as the base version, or send update_format weights.")
        }
        let changes = updates.map { update in update.isDelta ? update.weights.values : zip(update.weights.values, base).map { $0 - $1 } }
        return zip(base, RobustMean.of(changes, samples: updates.map(\.samples), clip: clip)).map { $0 + $1 }
    }
}

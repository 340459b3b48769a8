internal import HubDatabase
package import HubProtocol
package import Support

/// What the boards of one variant reported.
package struct VariantReport: Sendable, Equatable {
    package struct Metric: Sendable, Equatable {
        package var count = 0
        package var mean = 0.0
        /// Sum of squared deviations from the mean (Welford).
        private var squares = 0.0

        /// Of one value more: 0 for one alone.
        package var deviation: Double { count > 1 ? (squares / Double(count - 1)).squareRoot() : 0 }

        mutating func take(_ value: Double) {
            count += 1
            let step = value - mean
            mean += step / Double(count)
            squares += step * (value - mean)
        }
    }

    package var variant: Experiment.Variant
    /// Boards that are in it, and those of them that reported anything.
    package var devices = 0
    package var reporting = 0
    /// What became of its version, by state.
    package var outcomes: [ModelState: Int] = [:]
    package var metrics: [String: Metric] = [:]
}

extension HubStore {
    // Of one experiment: names of metrics, and values of one board.
    private static let mostMetrics = 50, mostValues = 2000

    /// - Parameter values: by metric; finite.
    /// - Throws: `.usage` beyond what an experiment keeps.
    package func measure(
        _ values: [(name: String, value: Double)], of experiment: Experiment, device: String, at time: Double
    ) async throws(Fault) {
        try await write { database in
            let count =
                try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM measurements WHERE experiment = ? AND device_id = ?",
                    arguments: [experiment.id, device]) ?? 0
            let names = Set(
                try String.fetchAll(
                    database, sql: "SELECT DISTINCT name FROM measurements WHERE experiment = ?", arguments: [experiment.id]))
            guard count + values.count <= HubStore.mostValues, names.union(values.map(\.name)).count <= HubStore.mostMetrics else {
                throw Fault(.usage, "experiment \(experiment.id) has all values that it keeps of this board, or too many metrics")
            }
            for (name, value) in values {
                try database.execute(
                    sql: "INSERT INTO measurements (experiment, device_id, name, value, at) VALUES (?, ?, ?, ?, ?)",
                    arguments: [experiment.id, device, name, value, time])
            }
        }
    }

    /// How the variants did, in their order.
    package func reports(of experiment: Experiment) async throws(Fault) -> [VariantReport] {
        try await read { database in
            var reports = experiment.variants.map { VariantReport(variant: $0) }, places: [String: Int] = [:]
            let groups = try HubStore.groups(of: experiment.id, database)
            for device in try String.fetchAll(
                database, sql: "SELECT d.id FROM devices d JOIN models m ON m.org = d.org WHERE m.id = ? AND d.revoked = 0",
                arguments: [experiment.model])
            {
                let memberships =
                    try groups.isEmpty
                    ? [] : String.fetchAll(database, sql: "SELECT group_id FROM memberships WHERE device_id = ?", arguments: [device])
                guard groups.isEmpty || !groups.isDisjoint(with: memberships), let variant = experiment.variant(of: device),
                    let place = experiment.variants.firstIndex(of: variant)
                else { continue }
                places[device] = place
                reports[place].devices += 1
                let state = try String.fetchOne(
                    database, sql: "SELECT state FROM outcomes WHERE model_id = ? AND version = ? AND device_id = ?",
                    arguments: [experiment.model, variant.version, device])
                if let state = state.flatMap(ModelState.init(rawValue:)) { reports[place].outcomes[state, default: 0] += 1 }
            }
            var reporting = Set<String>()
            try database.forEachRow(
                sql: "SELECT device_id, name, value FROM measurements WHERE experiment = ? ORDER BY id",
                arguments: [experiment.id]
            ) { row in
                guard let place = places[row["device_id"]] else { return }
                if reporting.insert(row["device_id"]).inserted { reports[place].reporting += 1 }
                reports[place].metrics[row["name"], default: .init()].take(row["value"])
            }
            return reports
        }
    }

    /// How many measurements of a metric came each day: days since 1970, variants by their place.
    package func days(
        of experiment: Experiment
    ) async throws(Fault) -> [(day: Int, variant: String, name: String, count: Int, mean: Double)] {
        try await read { database in
            var found: [String: (day: Int, variant: String, name: String, metric: VariantReport.Metric)] = [:]
            try database.forEachRow(
                sql: "SELECT device_id, name, value, at FROM measurements WHERE experiment = ? ORDER BY at",
                arguments: [experiment.id]
            ) { row in
                guard let variant = experiment.variant(of: row["device_id"]) else { return }
                let day = Int((row["at"] as Double / 86_400).rounded(.down)), name: String = row["name"],
                    key = "\(day) \(variant.name) \(name)"
                found[key, default: (day, variant.name, name, .init())].metric.take(row["value"])
            }
            return found.values.map { ($0.day, $0.variant, $0.name, $0.metric.count, $0.metric.mean) }
                .sorted { ($0.day, $0.variant, $0.name) < ($1.day, $1.variant, $1.name) }
        }
    }
}

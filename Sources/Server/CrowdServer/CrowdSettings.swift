package import CrowdLearning
package import Support

/// How a crowd is run: what its clients receive, and what is the server's own business. The names are those of Crowd-ML's configuration.
package struct CrowdSettings: Sendable, Equatable {
    package var parameters = CrowdParameters()
    package var gradientBatch = 1, weightBatch = 1
    package var radius: Double?
    /// Whether a gradient is shortened that is longer than half of the others.
    package var clips = true
    /// Whether weights are published as [[weights], [iteration, -1]], as servers of 2017 did; clients of 2016 want them flat.
    package var isNested = false
    /// Whether what is stale is never acknowledged, as in 2017.
    package var ignoresStale = false
    /// Whether anybody may make an account.
    package var isOpen = false
    /// The classes' names, for the model that comes of it.
    package var labels: [String] = []

    package init() {}

    package var json: JSONValue {
        .members([
            ("parameters", parameters.json), ("maxGradBatchSize", .integer(gradientBatch)), ("maxWeightBatchSize", .integer(weightBatch)),
            ("radius", radius.map { .number($0) }),
            ("clips", .bool(clips)),
            ("nested", .bool(isNested)), ("ignoresStale", .bool(ignoresStale)), ("open", .bool(isOpen)),
            ("labels", .array(labels.map { .string($0) })),
        ])
    }

    /// What clients receive: the parameters, and the classes' names beside them.
    package var published: JSONValue {
        guard case .object(var members) = parameters.json, !labels.isEmpty else { return parameters.json }
        members["labels"] = .array(labels.map { .string($0) })
        return .object(members)
    }

    package var text: String { String(decoding: json.bytes, as: UTF8.self) }

    /// - Throws: `.badData` when it is none.
    package init(text: String) throws(Fault) {
        guard let value = JSONValue(parsing: Array(text.utf8)), let parameters = value["parameters"],
            let gradients = value["maxGradBatchSize"]?.number, let steps = value["maxWeightBatchSize"]?.number,
            let gradientBatch = Int(exactly: gradients), let weightBatch = Int(exactly: steps)
        else { throw Fault(.badData, "what the hub keeps of the crowd is not a crowd's settings") }
        self.parameters = try CrowdParameters(parameters)
        (self.gradientBatch, self.weightBatch, radius) = (gradientBatch, weightBatch, value["radius"]?.number)
        clips = value["clips"] != false // those of earlier versions too
        (isNested, ignoresStale, isOpen) = (value["nested"] == true, value["ignoresStale"] == true, value["open"] == true)
        if case .array(let found)? = value["labels"] { labels = found.compactMap(\.text) }
    }

    /// - Parameter state: of a server of these settings, to go on from; nil to begin.
    /// - Throws: those of ``CrowdOptimiser``.
    package func server(from state: [UInt8]? = nil) throws(Fault) -> CrowdOptimiser {
        var server = try CrowdOptimiser(parameters, gradientBatch: gradientBatch, weightBatch: weightBatch, radius: radius, clips: clips)
        if let state { try server.restore(state) }
        return server
    }

    /// The classes' names, numbers where none were given.
    package var names: [String] { parameters.names(labels) }
}

public import Support

/// How a crowd is run: what its clients are told, and what is the server's own business. The names are those of Crowd-ML's configuration.
public struct CrowdSettings: Sendable, Equatable {
    public var parameters = CrowdParameters()
    public var gradientBatch = 1, weightBatch = 1
    public var radius: Double?
    /// Whether weights are published as [[weights], [iteration, -1]], as servers of 2017 did; clients of 2016 want them flat.
    public var isNested = false
    /// Whether what is stale is never acknowledged, as in 2017.
    public var ignoresStale = false
    /// Whether anybody may make an account.
    public var isOpen = false
    /// The classes' names, for the model that comes of it.
    public var labels: [String] = []

    public init() {}

    package var json: JSONValue {
        .members([
            ("parameters", parameters.json), ("maxGradBatchSize", .integer(gradientBatch)), ("maxWeightBatchSize", .integer(weightBatch)), ("radius", radius.map { .number($0) }),
            ("nested", .bool(isNested)), ("ignoresStale", .bool(ignoresStale)), ("open", .bool(isOpen)), ("labels", .array(labels.map { .string($0) })),
        ])
    }

    /// What clients are told: the parameters, and the classes' names beside them.
    package var published: JSONValue {
        guard case .object(var members) = parameters.json, !labels.isEmpty else { return parameters.json }
        members["labels"] = .array(labels.map { .string($0) })
        return .object(members)
    }

    public var text: String { String(decoding: json.bytes, as: UTF8.self) }

    /// Errors: `.badData` when it is none.
    public init(text: String) throws(Fault) {
        guard let value = JSONValue(parsing: Array(text.utf8)), let parameters = value["parameters"], let gradients = value["maxGradBatchSize"]?.number, let steps = value["maxWeightBatchSize"]?.number,
            let gradientBatch = Int(exactly: gradients), let weightBatch = Int(exactly: steps)
        else { throw Fault(.badData, "the crowd's settings are none") }
        self.parameters = try CrowdParameters(parameters)
        (self.gradientBatch, self.weightBatch, radius) = (gradientBatch, weightBatch, value["radius"]?.number)
        (isNested, ignoresStale, isOpen) = (value["nested"] == true, value["ignoresStale"] == true, value["open"] == true)
        if case .array(let found)? = value["labels"] { labels = found.compactMap(\.text) }
    }

    /// - Parameter state: of a server of these settings, to go on from; nil to begin.
    /// Errors: those of ``CrowdServer``.
    public func server(from state: [UInt8]? = nil) throws(Fault) -> CrowdServer {
        var server = try CrowdServer(parameters, gradientBatch: gradientBatch, weightBatch: weightBatch, radius: radius)
        if let state { try server.restore(state) }
        return server
    }

    /// The classes' names, numbers where none were given.
    public var names: [String] { parameters.names(labels) }
}

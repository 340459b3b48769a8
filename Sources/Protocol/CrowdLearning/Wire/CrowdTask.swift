package import Support

/// What a crowd is to learn, as its server publishes it.
package struct CrowdTask: Sendable {
    package let parameters: CrowdParameters
    package let model: CrowdModel
    /// The classes' names; empty where the server tells none.
    package let labels: [String]

    package init(_ value: JSONValue) throws(Fault) {
        parameters = try CrowdParameters(value)
        model = try parameters.model()
        if case .array(let found)? = value["labels"] { labels = found.compactMap(\.text) } else { labels = [] }
    }
}

/// Where a device's samples come from, once it is known what is to be learnt.
package typealias CrowdSamples = @Sendable (CrowdTask) throws(Fault) -> CrowdData

/// Metrics in Prometheus's text format, each name once with its help and type.
///
/// Source: "Exposition formats", version 0.0.4, prometheus.io/docs/instrumenting.
package struct PrometheusText {
    package enum Kind: String, Sendable {
        case counter, gauge
    }

    /// Lines, each with its line end.
    package private(set) var text = ""

    package init() {}

    /// A metric of one value; none where it is not known.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?, labels: [(name: String, value: String)] = [])
    {
        guard let value else { return }
        add(name, kind, help, [(labels, value)])
    }

    /// A metric of several values, which differ in their labels.
    package mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ values: [(labels: [(name: String, value: String)], value: Double)]
    ) {
        guard !values.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
        for (labels, value) in values {
            let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(Self.number(value))\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? (value.isNaN ? "NaN" : value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : "\(value)")
    }
}

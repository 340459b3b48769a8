package import Recognition
package import Support

extension Activity {
    /// As programs read it: `gaitway run --json`, and decisions of the local stream.
    package var members: [(String, JSON)] {
        var found: [(String, JSON)] = [
            ("t", .number(Decimals.text(end, over: 50, places: 2))), ("activity", .string(label)),
            ("confidence", Self.probability(confidence)), ("smoothed", .string(smoothed)),
            ("probabilities", .object(zip(labels, probabilities).map { ($0, Self.probability($1)) })),
        ]
        if let orientation { found.append(("orientation", .string(orientation.rawValue))) }
        if let placement { found.append(("placement", .string(placement))) }
        if isNovel { found.append(("novel", .bool(true))) }
        if isStill { found.append(("still", .bool(true))) }
        return found
    }

    /// Q0.15 with five decimals: every value of it stays distinct.
    private static func probability(_ value: Int16) -> JSON { .number(Decimals.text(Int(value), over: 32768, places: 5)) }
}

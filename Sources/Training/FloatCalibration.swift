public import Models
public import Support

/// A float network from elsewhere on real inputs: quantised, and what that costs.
public struct FloatCalibration {
    /// The network in fixed point.
    public let network: Network
    /// What quantisation did to each layer.
    public let result: Quantiser.Result
    /// How many rows were seen.
    public let rows: Int
    /// How many of them float and fixed point decide alike.
    public let equal: Int
    /// Rows that are decided right, where the labels are the recordings'; nil where there are no labels.
    public let rightInFloat: Int?, rightInFixed: Int?

    /// Float and fixed point must agree on this share of the rows for int8 numbers between the layers to do.
    public static let enough = 0.995

    /// - Parameters:
    ///   - activations: of the numbers between layers; nil: int8 where it decides as float does, else int16.
    ///
    /// Errors: `.badData` when the graph does not fit the rows, `.usage` when labels do not fit.
    public init(_ graph: FloatGraph, _ rows: CalibrationRows, bits: Int, activations: IntegerType?, _ naming: ImportOptions, path: String) throws(Fault) {
        guard rows.count > 0 else { throw Fault(.badData, "there is nothing to calibrate on", remedy: "Name recordings, or rows of numbers, with --calibrate.") }
        var decided: [Int] = []
        let calibrated = try CalibratedGraph(graph, count: rows.count, row: rows.row) { decided.append(Self.largest($0)) }
        func attempt(_ activations: IntegerType?, _ balance: UnitBalance) throws(Fault) -> Attempt {
            let options = QuantiserOptions(bits: bits, activations: activations, balance: balance)
            let (network, result) = try calibrated.quantised(options, naming, golden: rows.golden, path: path)
            return Attempt(network: network, result: result, decisions: try Self.decisions(network, rows))
        }
        func agreement(_ attempt: Attempt) -> Int { zip(decided, attempt.decisions).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) } }
        var best = try attempt(activations, .both)
        func isEnough() -> Bool { Double(agreement(best)) >= Self.enough * Double(rows.count) }
        // Finer numbers between the layers, then other scales of the units; some curves cannot be run between int16 layers.
        let finer = bits > 8 ? nil : activations ?? .int16
        for balance in UnitBalance.allCases where !isEnough() {
            if let other = try? attempt(finer, balance), agreement(other) > agreement(best) { best = other }
        }
        network = best.network
        result = best.result
        self.rows = rows.count
        equal = agreement(best)
        let truth = (0..<rows.count).map { row in rows.label(row).flatMap { naming.labels?.firstIndex(of: $0) } }
        let isLabelled = truth.contains { $0 != nil }
        rightInFloat = isLabelled ? zip(decided, truth).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) } : nil
        rightInFixed = isLabelled ? zip(best.decisions, truth).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) } : nil
    }

    private struct Attempt {
        var network: Network
        var result: Quantiser.Result
        var decisions: [Int]
    }

    private static func decisions(_ network: Network, _ rows: CalibrationRows) throws(Fault) -> [Int] {
        var compiled = try CompiledNetwork(network), probabilities = [Int16](repeating: 0, count: network.outputs)
        return (0..<rows.count).map { row in
            compiled.reset()
            if let samples = rows.samples(row) { return compiled.classify(samples, &probabilities) }
            let output = compiled.infer(rows.row(row).map { network.input.quantised(Double($0)) })
            return output.indices.reduce(0) { output[$1] > output[$0] ? $1 : $0 }
        }
    }

    private static func largest(_ values: [Float]) -> Int { values.indices.reduce(0) { values[$1] > values[$0] ? $1 : $0 } }
}

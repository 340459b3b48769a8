package import Conversion
package import NeuralNetwork
package import Support

/// A float network from elsewhere on real inputs: quantised, and what that costs.
package struct FloatCalibration {
    /// The network in fixed point.
    package let network: Network
    /// What quantisation did to each layer.
    package let result: Quantiser.Result
    /// How many rows were seen.
    package let rows: Int
    /// How many of them float and fixed point decide alike.
    package let equal: Int
    /// The share of rows like these that fixed point is expected to decide as float does.
    package let expected: Double
    /// How many times as large as in these rows numbers may be before they are cut off; nil for trees, support vectors and sums
    /// of squares that are limited.
    package let room: Double?
    /// Why int16 numbers between the layers cannot be had, which decide more rows as float does.
    package let obstacle: Fault?
    /// The classes that float decides for, of all rows.
    package let seen: Set<Int>
    /// Rows that are decided right, where the labels are the recordings'; nil where there are no labels.
    package let rightInFloat: Int?, rightInFixed: Int?

    /// Float and fixed point must agree on this share of the rows for int8 numbers between the layers to do.
    package static let enough = 0.999
    /// Below this share of the rows, or below ``enough`` of those expected, wider weights are worth their size.
    package static let close = 0.9975
    /// Fewer rows hardly show what numbers there are.
    package static let few = 300
    /// Up to so many products wide weights cost nothing that counts.
    package static let small = 4096
    /// Below this share something was lost that its author should know of.
    package static let usual = 0.995
    /// With fewer rows it is not known whether they do.
    package static let fewest = 1000

    // The largest first; which share of the rows it may cost.
    private static let headrooms = [4.0, 2], spent = 1e-3

    /// - Parameters:
    ///   - activations: of the numbers between layers; nil: int8 where it decides as float does, else int16.
    /// - Throws: `.badData` when the graph does not fit the rows, `.usage` when labels do not fit.
    package init(
        _ graph: FloatGraph, _ rows: CalibrationRows, bits: Int, activations: IntegerType?, _ naming: ImportOptions, path: String
    ) throws(Fault) {
        guard rows.count > 0 else {
            throw Fault(.badData, "there is nothing to calibrate on", remedy: "Name recordings, or rows of numbers, with --calibrate.")
        }
        var activations = activations
        let fitted = try FittedGraph(graph, rows, hasColumns: naming.input == .features, isWide: activations != .int8)
        let graph = fitted.calibrated.graph, margins = fitted.margins
        if fitted.scaling.thresholds != nil { activations = .int16 } // that many
        let decided = margins.largest.map(\.first)
        func attempt(_ activations: IntegerType?, _ balance: UnitBalance, headroom: Double = 1) throws(Fault) -> Attempt {
            let options = QuantiserOptions(bits: bits, activations: activations, balance: balance, headroom: headroom)
            var (network, result) = try fitted.calibrated.quantised(options, naming, golden: rows.golden, path: path)
            network.inputScaling = fitted.scaling
            let (decisions, fixed) = try Self.decisions(network, rows, margins)
            return Attempt(
                options: options, network: network, result: result, decisions: decisions, equal: Self.alike(decided, decisions),
                expected: margins.expectedShare(fixed))
        }
        var best: Attempt, obstacle: Fault?
        do throws(Fault) {
            best = try attempt(activations, .both)
        } catch {
            // Where nothing differs there are no scales.
            guard fitted.isConstant, rows.count > 1 else { throw error }
            throw Fault(
                .badData, "\(path): all \(rows.count) rows give the same numbers",
                remedy: "Are they rows as the network is to decide, in its units? Are its weights those that were learnt?")
        }
        // Finer numbers between the layers, then other scales of the units; some curves cannot be run between int16 layers.
        let isFixed = bits > 8 || activations != nil
        func isEnough(_ attempt: Attempt) -> Bool {
            (isFixed || rows.count >= Self.fewest || attempt.network.input.type == .int16)
                && Double(attempt.equal) >= Self.enough * Double(rows.count)
        }
        for balance in UnitBalance.allCases where !(isFixed && balance == .both) && !isEnough(best) {
            let isNarrow = best.network.input.type == .int8
            do throws(Fault) {
                let other = try attempt(activations ?? .int16, balance)
                if other.equal > best.equal || isNarrow && other.equal == best.equal { best = other }
            } catch {
                if isNarrow, activations == nil { obstacle = error }
            }
        }
        // Other people, and other ways to wear a sensor, show larger numbers: where int16 has steps to spare, they are not cut off. What
        // trees and support vectors compare is exact as it is.
        let hasRoom =
            !graph.needsWideWeights && !fitted.isLimited
            && (!graph.hasForests || graph.comparesRanks && fitted.scaling.steps != nil)
        for headroom in Self.headrooms where best.options.activations == .int16 && best.options.headroom == 1 {
            guard hasRoom else { break }
            if let other = try? attempt(.int16, best.options.balance, headroom: headroom),
                Double(other.equal) >= Double(best.equal) - Self.spent * Double(rows.count), other.expected >= best.expected - Self.spent
            {
                best = other
            }
        }
        network = best.network
        result = best.result
        self.rows = rows.count
        equal = best.equal
        room = hasRoom ? best.options.headroom : nil
        expected = best.expected
        seen = Set(decided)
        self.obstacle = best.network.input.type == .int8 ? obstacle : nil
        let truth = (0..<rows.count).map { row in rows.label(row).flatMap { naming.labels?.firstIndex(of: $0) } }
        let isLabelled = truth.contains { $0 != nil }
        rightInFloat = isLabelled ? Self.alike(decided, truth) : nil
        rightInFixed = isLabelled ? Self.alike(best.decisions, truth) : nil
    }

    /// Whether fixed point decides as seldom otherwise as is usual.
    package var isUsual: Bool { share >= Self.usual }

    /// Whether fixed point decides as float does in so many rows that wider weights are not needed.
    package var isClose: Bool { Double(equal) >= Self.close * Double(rows) && expected >= Self.enough }

    /// The lower of the share that was counted and the one that is expected.
    package var share: Double { min(Double(equal) / Double(rows), expected) }

    private struct Attempt {
        var options: QuantiserOptions
        var network: Network
        var result: Quantiser.Result
        var decisions: [Int]
        /// How many of them are as float decides.
        var equal: Int
        var expected: Double
    }

    private static func decisions(
        _ network: Network, _ rows: CalibrationRows, _ margins: DecisionMargins
    ) throws(Fault) -> (decisions: [Int], margins: [Double]) {
        var compiled = try CompiledNetwork(network), probabilities = [Int16](repeating: 0, count: network.outputs)
        var decisions: [Int] = [], fixed: [Double] = []
        for row in 0..<rows.count {
            compiled.reset()
            let output: [Int16]
            if let samples = rows.samples(row) {
                decisions.append(compiled.classify(samples, &probabilities))
                output = compiled.outputIntegers
            } else {
                output = compiled.infer(network.integers(of: rows.row(row).map { Double($0) }))
                decisions.append(output.indexOfLargest)
            }
            fixed.append(margins.margin(row, of: output, network.last.quantisation))
        }
        return (decisions, fixed)
    }

    private static func alike(_ a: [Int], _ b: [Int?]) -> Int { zip(a, b).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) } }
}

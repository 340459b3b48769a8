internal import Conversion
internal import NeuralNetwork
internal import Support

/// A float network that decides as it came, put so that integers lose little of what real rows make in it.
struct FittedGraph {
    let calibrated: CalibratedGraph
    /// What becomes of each row before.
    let scaling: InputScaling
    /// What the network, as it came, decides of each row.
    let margins: DecisionMargins
    /// Whether it gives the same for every row.
    let isConstant: Bool
    /// Whether larger numbers than those of the rows change nothing.
    let isLimited: Bool

    /// How many times as large as in the rows the root of the smallest sum of squares may be, by which classes are told.
    private static let roomOfSquares = 2.0

    /// - Parameters:
    ///   - hasColumns: whether rows are features, each with a step of its own.
    ///   - isWide: whether there may be int16 between the layers.
    /// - Throws: those of ``CalibratedGraph``.
    init(_ original: FloatGraph, _ rows: CalibrationRows, hasColumns: Bool, isWide: Bool) throws(Fault) {
        var margins = DecisionMargins(), last: [Float]?, isConstant = true
        func take(_ output: [Float]) {
            margins.take(output)
            isConstant = isConstant && (last ?? output) == output
            last = output
        }
        var graph = original, scaling = InputScaling.none, limit = Double.infinity, isLimited = false
        if original.hasMasks, original.quantisations.isEmpty {
            graph = original.deepeningMasks(try CalibratedGraph(original, count: rows.count, row: rows.row).places) ?? original
        }
        let sizes = hasColumns ? ColumnSizes(rows, width: original.input.count) : nil
        if graph.comparesSquares {
            let places = try CalibratedGraph(graph, count: rows.count, row: rows.row, each: take).places
            graph = graph.limitingSquares(places, room: Self.roomOfSquares) ?? graph
            if let sizes, isWide, let copied = Self.copied(graph, sizes, places) {
                (graph, limit, isLimited) = (copied.graph, copied.limit, copied.isOfCopiesAlone)
                scaling.steps = copied.steps
            }
        }
        if let sizes, scaling == .none { (graph, scaling) = Self.scaled(graph, sizes, isWide: isWide) }
        // After the columns' offsets nothing moves far.
        if scaling.steps != nil { graph.joinScales(far: true) }
        let row = { scaling.scaled(rows.row($0).map { Double($0) }).map { Float(min(max($0, -limit), limit)) } }
        let isTaken = original.comparesSquares
        var calibrated = try CalibratedGraph(graph, count: rows.count, row: row, each: { if !isTaken { take($0) } })
        // What becomes roots of squares concatenates once more.
        for _ in 0..<2 {
            guard let balanced = calibrated.graph.balancingConcatenations(calibrated.places) else { break }
            calibrated = try CalibratedGraph(balanced, count: rows.count, row: row)
        }
        if let nearer = calibrated.graph.limitingLosers(calibrated.places, smallest: margins.smallest) {
            calibrated = try CalibratedGraph(nearer, count: rows.count, row: row)
        }
        (self.calibrated, self.scaling, self.margins, self.isConstant) = (calibrated, scaling, margins, isConstant)
        self.isLimited = isLimited
    }

    // Each class with steps of its own; what else reads the columns has a quarter of the integers, as others' numbers may be larger.
    private static func copied(_ graph: FloatGraph, _ sizes: ColumnSizes, _ places: [Calibration]) -> FloatGraph.OfCopies? {
        guard !graph.hasForests, sizes.largest.allSatisfy(\.isFinite) else { return nil }
        return graph.takingCopies(places) { sizes.steps(within: $0 / 4) }
    }

    // Trees ask for ranks alone; what else reads columns of very different sizes takes their steps into its weights.
    private static func scaled(_ graph: FloatGraph, _ sizes: ColumnSizes, isWide: Bool) -> (FloatGraph, InputScaling) {
        if isWide, let thresholds = graph.columnThresholds() {
            if let ranked = graph.takingRanks(thresholds) { return (ranked, InputScaling(thresholds: thresholds)) }
            if let steps = sizes.stepsBesideRanks(), let ranked = graph.takingRanks(thresholds, beside: steps) {
                return (ranked, InputScaling(steps: steps, thresholds: thresholds))
            }
        }
        if let steps = sizes.steps(for: graph), let taken = graph.taking(steps) { return (taken, InputScaling(steps: steps)) }
        if let exponents = sizes.fewSteps(), let parted = graph.partingCurves(by: exponents) {
            let steps = ColumnSteps(exponents: exponents)
            if let taken = parted.taking(steps) { return (taken, InputScaling(steps: steps)) }
        }
        return (graph, .none)
    }
}

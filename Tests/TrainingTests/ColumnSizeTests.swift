import Support
import TestHelpers
import Testing

@testable import Conversion
@testable import NeuralNetwork
@testable import Training

/// Rows whose columns are of very different sizes.
@Suite struct ColumnSizeTests {
    private func rows(_ numbers: [[Double]]) throws -> CalibrationRows {
        let path = "\(temporaryDirectory())/rows.csv", lines = numbers.map { $0.map { "\($0)" }.joined(separator: ",") + "\n" }
        try Files.write(Array(lines.joined().utf8), to: path)
        return try CalibrationRows(file: path, inputs: numbers[0].count)
    }

    /// One split on each column; what a row of small numbers decides depends on steps that a hundred in the third column must not set.
    private func forest() -> FloatGraph {
        var all = FloatForest(classes: 2)
        for (feature, threshold) in [(0, 0.5), (1, 0.3045), (2, 50)] {
            let start = Int32(all.features.count)
            all.roots.append(start)
            all.features += [Int16(feature), -1, -1]
            all.thresholds += [Float(threshold), 0, 0]
            all.isStrict += [false, false, false]
            let leaf = Int32(all.values.count / 2)
            all.children += [start + 1, leaf, leaf + 1]
            all.values += [Float(1 + feature), 0, 0, Float(1 + feature)]
        }
        var graph = FloatGraph(input: FloatShape(channels: 3), output: .logits)
        graph.append(.forest(all), FloatShape(channels: 2))
        return graph
    }

    private let columns = (0..<500).map { (index: Int) -> [Double] in
        [Double(index % 100) / 100, 0.3 + Double(index * 7 % 10) / 1000, Double(index * 37 % 100)]
    }

    // Of the second column.
    private static let middle = Float((Double(Float(0.3)) + Double(Float(0.309))) / 2)

    @Test func smallColumnsBesideLargeOnesAreDecidedExactly() throws {
        let rows = try rows(columns), graph = forest()
        let result = try FloatCalibration(
            graph, rows, bits: 16, activations: .int16, ImportOptions(input: .features, labels: ["A", "B"]), path: "x")
        #expect(result.equal == 500 && CoarseColumns(rows, result.network) == nil)
        #expect(result.network.inputScaling.thresholds == ColumnThresholds(columns: [[0.5], [0.3045], [50]]))
        // The file keeps them, and what it predicts is what the calibration saw: also of numbers that the calibration has not seen.
        let read = try NetworkFile.decode(try NetworkFile.encode(result.network), path: "x")
        #expect(read.inputScaling == result.network.inputScaling)
        var prediction = try Predictor(read)
        let next = Double(Float(0.3045).nextUp), least = Double(Float(0.3045))
        for row in columns + [[0.5, least, 50], [0.5, next, -1e30], [1e30, least, 50.000004]] {
            let floats = FloatRunner(graph).run(row.map { Float($0) }).tensors[1], fixed = try prediction.predict(row)
            #expect((floats[1] > floats[0]) == (fixed[1] > fixed[0]), "\(row)")
        }
    }

    /// A hundred in the third column leaves an integer 0.003 where all have one step: few for what the second one shows.
    @Test func columnsThatAreSmallBesideOthersAreNamed() throws {
        let rows = try rows(columns)
        var network = try FloatCalibration(
            forest(), rows, bits: 16, activations: .int16, ImportOptions(input: .features, labels: ["A", "B"]), path: "x"
        ).network
        network.inputScaling = .none
        network.input.quantisation = Quantisation(covering: 0...100, type: .int16)
        let found = try #require(CoarseColumns(rows, network))
        #expect(found.columns == [2] && found.widest.column == 3 && found.widest.size == 99)
        network.input.quantisation = Quantisation(covering: 0...1, type: .int16)
        #expect(CoarseColumns(rows, network) == nil)
    }

    /// Every rank is a threshold's: also where several forests, whose soft-maxes are added, set the input's steps together.
    @Test func ranksAreExactForSeveralForests() throws {
        var graph = FloatGraph(input: FloatShape(channels: 1), output: .logits)
        for number in 0..<2 {
            var forest = FloatForest(classes: 2)
            for step in 0..<150 {
                let leaf = forest.values.count / 2
                _ = try forest.append(root: 0, most: 3) { index in
                    index > 0
                        ? .leaf(leaf + index - 1)
                        : .split(feature: 0, threshold: Float(2 * step + number), isStrict: number == 1, left: 1, right: 2)
                }
                forest.values += [0.01 * Float(step % 3), 0, 0, 0.01]
            }
            graph.layers.append(FloatLayer(.forest(forest), sources: [0], shape: FloatShape(channels: 2)))
            graph.append(.softmax, FloatShape(channels: 2))
        }
        graph.layers.append(FloatLayer(.add, sources: [2, 4], shape: FloatShape(channels: 2)))
        let numbers = (0..<310).map { [Double($0)] }, options = ImportOptions(input: .features, labels: ["A", "B"])
        let network = try FloatCalibration(graph, try rows(numbers), bits: 16, activations: .int16, options, path: "x").network
        #expect(network.inputScaling.thresholds?.values.count == 300)
        var compiled = try CompiledNetwork(network)
        for row in numbers {
            let trees = FloatRunner(graph).run(row.map { Float($0) }).tensors, found = compiled.observe(network.integers(of: row))
            for place in [1, 3] {
                let real = found[place].map { network.tensor(place).quantisation.real($0) }
                for (own, float) in zip(real, trees[place]) { #expect((own - Double(float)).magnitude < 0.004, "\(row)") }
            }
        }
        // Eight bits cannot count them.
        let narrow = try FloatCalibration(graph, try rows(numbers), bits: 8, activations: .int8, options, path: "x").network
        #expect(narrow.inputScaling.thresholds == nil)
    }

    /// Beside a dense layer, which has the numbers with their steps, trees have ranks: as exact as alone.
    @Test func treesBesideOthersReadRanks() throws {
        var graph = forest()
        let dense = FloatWeights(inputs: 3, outputs: 2, values: [1, 100, 0.01, -1, -100, -0.01], bias: [-30, 30])
        graph.layers.append(FloatLayer(.dense(dense), sources: [0], shape: FloatShape(channels: 2)))
        graph.layers.append(FloatLayer(.add, sources: [1, 2], shape: FloatShape(channels: 2)))
        let options = ImportOptions(input: .features, labels: ["A", "B"])
        let result = try FloatCalibration(graph, try rows(columns), bits: 16, activations: .int16, options, path: "x")
        #expect(result.equal == 500)
        let network = try NetworkFile.decode(try NetworkFile.encode(result.network), path: "x"), scaling = network.inputScaling
        #expect(scaling == result.network.inputScaling && network.inputs == 6 && network.columns == 3)
        #expect(scaling.steps?.exponents == [12, 20, 6] && scaling.steps?.offsets == [0, Self.middle, 0])
        #expect(scaling.thresholds == ColumnThresholds(columns: [[0.5], [0.3045], [50]]))
        // Ranks are integers whatever the numbers beside them are: also where these need larger steps than 1.
        let ranks = network.integers(of: [0.6, 0.3, 1e9])[3...].map { Double($0) * network.input.quantisation.scale }
        #expect(network.input.quantisation.scale <= 1 && ranks == [1, 0, 1])
        var prediction = try Predictor(network)
        // Integers are those of the network: two of each number.
        #expect(try prediction.predict(integers: network.integers(of: [0.6, 0.3, 70])).count == 2)
        #expect(throws: Fault.self) { try prediction.predict(integers: [1, 2, 3]) }
        #expect(prediction.inputs == 3 && prediction.range(of: 1).contains(0.31) && !prediction.range(of: 1).contains(0.4))
        for row in columns {
            let floats = FloatRunner(graph).run(row.map { Float($0) }).tensors[3], fixed = try prediction.predict(row)
            #expect((floats[1] > floats[0]) == (fixed[1] > fixed[0]) && fixed.count == 2, "\(row)")
        }
        // Beside a curve of the columns, which takes a few kinds of steps alone, trees compare what it reads.
        graph.layers.append(FloatLayer(.curve(.tanh), sources: [0], shape: FloatShape(channels: 3)))
        graph.layers.append(FloatLayer(.dense(dense), sources: [4], shape: FloatShape(channels: 2)))
        graph.layers.append(FloatLayer(.add, sources: [3, 5], shape: FloatShape(channels: 2)))
        let plain = try FloatCalibration(graph, try rows(columns), bits: 16, activations: .int16, options, path: "x").network
        #expect(plain.inputScaling.thresholds == nil && plain.inputScaling.steps?.exponents == [3, 6, 0] && plain.inputs == 3)
    }

    /// Other programs' files move and multiply their inputs themselves, and come back with the same steps.
    @Test func stepsAreExportedAndReadAgain() throws {
        let dense = FloatWeights(inputs: 3, outputs: 2, values: [30, -200, 2.5, -20, 300, -3], bias: [60, -90])
        var graph = FloatGraph(input: FloatShape(channels: 3), output: .logits)
        graph.appendDense(dense)
        let rows = try rows(columns)
        let options = ImportOptions(input: .features, labels: ["A", "B"])
        let network = try FloatCalibration(graph, rows, bits: 8, activations: .int8, options, path: "x").network
        #expect(network.inputScaling.steps == ColumnSteps(exponents: [4, 12, 0], offsets: [0, Self.middle, 0]))
        let path = "\(temporaryDirectory())/x.tflite"
        try Files.write(try ExportFormat.tflite.bytes(network, name: "x"), to: path)
        guard case .integers(let read) = try TFLiteImport.network(path, options) else {
            Issue.record("no integers")
            return
        }
        #expect(read.inputScaling == network.inputScaling)
        #expect(read.layers.first?.weights.map(\.values) == network.layers.first?.weights.map(\.values))
        #expect((read.input.quantisation.scale / network.input.quantisation.scale - 1).magnitude < 1e-6)
        #expect(throws: Fault.self) { try TFLiteImport.network(path, ImportOptions(input: .raw, labels: ["A", "B"])) }
        // Floats know no steps: they are in the weights and biases.
        let floats = try SafetensorsImport.graph(
            try ExportFormat.safetensorsFloat.bytes(network, name: "x"), path: "x", activation: .relu, steps: 1)
        for row in columns.prefix(100) {
            let own = FloatRunner(floats).run(row.map { Float($0) }).tensors[1]
            let exact = FloatRunner(graph).run(row.map { Float($0) }).tensors[1]
            for (a, b) in zip(own, exact) { #expect((a - b).magnitude < 0.8, "\(row)") } // of -370 to 310
        }
        let header = String(decoding: try ExportFormat.cHeader.bytes(network, name: "x"), as: UTF8.self)
        #expect(header.contains("x_exponents[] = {\n    4, 12, 0,\n}"))
        #expect(header.contains("x_offsets[] = {\n    0.0f, \(Self.middle)f, 0.0f,\n}"))
        #expect(header.contains("its number less x_offsets[i], times two"))
    }

    /// Where a column was the same in all rows, as a constant that a discriminant has a huge weight for, others keep their weights.
    @Test func constantColumnsTakeNoWeights() throws {
        var graph = FloatGraph(input: FloatShape(channels: 2), output: .logits)
        graph.appendDense(FloatWeights(inputs: 2, outputs: 2, values: [3, 1e6, -3, -1e6], bias: [-9.81e6, 9.81e6]))
        let numbers = (0..<500).map { [Double($0 % 21) - 10, 9.81] }
        let options = ImportOptions(input: .features, labels: ["A", "B"])
        let result = try FloatCalibration(graph, try rows(numbers), bits: 8, activations: .int16, options, path: "x")
        #expect(result.network.inputScaling.steps?.offsets == [0, 9.81])
        let weights = try #require(result.network.layers.first?.weights.first?.values)
        #expect(abs(Int(weights[0])) > 60 && abs(Int(weights[1])) > 30, "\(weights)")
    }

    /// A number far from zero loses nothing where its mean is subtracted first, which a bias of float32 would not hold.
    @Test func whatMovesFarIsNotJoined() throws {
        var graph = FloatGraph(input: FloatShape(channels: 2), output: .logits)
        let scale = FloatWeights(inputs: 1, outputs: 2, values: [1, 1], bias: [-1e8, -0.5])
        graph.append(.depthwise(scale, KernelShape(height: 1, width: 1)), FloatShape(channels: 2))
        graph.appendDense(FloatWeights(inputs: 2, outputs: 2, values: [0.125, 1, -0.125, -1], bias: [0.25, 0]))
        var joined = graph
        joined.joinScales()
        #expect(joined == graph)
        // After the offsets nothing is far.
        let steps = ColumnSteps(exponents: [0, 4], offsets: [1e8, 0])
        var taken = try #require(graph.taking(steps))
        taken.joinScales(far: true)
        #expect(taken.layers.count == 1)
        for row: [Float] in [[1e8 + 16, 0.25], [1e8 - 8, 1], [1e8, -2]] {
            let scaled = row.enumerated().map { Float(steps.scaled(Double($1), of: $0)) }
            #expect(FloatRunner(taken).run(scaled).tensors.last == FloatRunner(graph).run(row).tensors.last)
        }
        let numbers = (0..<400).map { (index: Int) -> [Double] in [1e8 + Double(index % 20) * 8, Double(index % 7) / 7] },
            options = ImportOptions(input: .features, labels: ["A", "B"])
        #expect(try FloatCalibration(graph, try rows(numbers), bits: 16, activations: .int16, options, path: "x").equal >= 398)
    }

    /// A logarithm of all columns: those of like size go through it together.
    @Test func curvesOfColumnsAreParted() throws {
        var graph = FloatGraph(input: FloatShape(channels: 3), output: .logits)
        graph.append(.gather([2, 0, 1]), FloatShape(channels: 3))
        graph.appendCurve(.expression(.function(.log, .sum(.input, .constant(0.001)))))
        graph.appendDense(FloatWeights(inputs: 3, outputs: 2, values: [0.1, 0.2, 80, -0.1, 0.3, -80], bias: [94, -96]))
        let parted = try #require(graph.partingCurves(by: [3, 9, 0])), steps = ColumnSteps(exponents: [3, 9, 0])
        let taken = try #require(parted.taking(steps))
        #expect(graph.taking(steps) == nil && parted.layers.count { if case .curve = $0.operation { true } else { false } } == 3)
        for row in columns {
            let scaled = row.enumerated().map { Float(steps.scaled($1, of: $0)) }
            let own = FloatRunner(taken).run(scaled).tensors.last ?? [], other = FloatRunner(graph).run(row.map { Float($0) }).tensors[3]
            for (a, b) in zip(own, other) { #expect((a - b).magnitude < 1e-3, "\(row)") }
        }
        let options = ImportOptions(input: .features, labels: ["A", "B"])
        let result = try FloatCalibration(graph, try rows(columns), bits: 16, activations: .int16, options, path: "x")
        #expect(result.network.inputScaling.steps?.exponents == [3, 6, 0] && result.equal >= 495, "\(result.equal)")
        // One kind of steps, more kinds than that is worth, or nothing that is a curve.
        #expect(graph.partingCurves(by: [2, 2, 2]) == nil && graph.partingCurves(by: [2, 2]) == nil)
        var wide = FloatGraph(input: FloatShape(channels: 9), output: .logits)
        wide.appendCurve(.tanh)
        wide.appendDense(FloatWeights(inputs: 9, outputs: 2, values: [Float](repeating: 1, count: 18), bias: [0, 0]))
        #expect(wide.partingCurves(by: Array(0..<9)) == nil && wide.partingCurves(by: [0, 0, 0, 0, 4, 4, 4, 4, 4]) != nil)
        wide.layers.removeFirst()
        wide.layers[0].sources = [0]
        #expect(wide.partingCurves(by: [0, 0, 0, 0, 4, 4, 4, 4, 4]) == nil)
    }

    /// XGBoost asks for less than numbers of its rows, which are not rounded to the other side, wherever the steps lie.
    @Test func whatEqualsAStrictThresholdGoesRight() throws {
        let source = Tensor(.int16, channels: 1, quantisation: Quantisation(scale: 0.01, zeroPoint: 0))
        for threshold in stride(from: Float(-0.5), through: 0.5, by: 0.0037) {
            for isStrict in [false, true] {
                var forest = FloatForest(classes: 1)
                _ = try forest.append(root: 0, most: 3) { index in
                    index > 0
                        ? .leaf(index - 1) : .split(feature: 0, threshold: threshold, isStrict: isStrict, left: 1, right: 2)
                }
                forest.values = [0, 1]
                #expect(forest.run([threshold]) == [isStrict ? 1 : 0] && forest.run([threshold.nextDown]) == [0])
                let limit = forest.quantised(source, to: Quantisation(scale: 1, zeroPoint: 0)).thresholds[0]
                if isStrict { #expect(source.quantised(Double(threshold)) > limit) }
                // No further off than a step.
                #expect(source.quantised(Double(threshold) + 0.0101) > limit && source.quantised(Double(threshold) - 0.0101) <= limit)
            }
        }
    }

    /// Beyond all thresholds one number is as good as another; for other networks the row is named.
    @Test func aRowFarOffSetsNoStepsOfTrees() throws {
        let far = try rows(columns + [[1e30, 0.3, 5]]), options = ImportOptions(input: .features, labels: ["A", "B"])
        let result = try FloatCalibration(forest(), far, bits: 16, activations: .int16, options, path: "x")
        #expect(result.equal == 501)
        let found = try #require(OutlierRow(far))
        #expect(found.row == 501 && found.column == 1 && found.value == Double(Float(1e30)) && found.usual == Double(Float(0.99)))
        #expect(try OutlierRow(rows(columns)) == nil)
    }

    /// What reads the columns one by one takes their powers of two into its weights; a curve cannot.
    @Test func powersOfTwoGoIntoWhatReadsTheColumns() throws {
        let steps = ColumnSteps(exponents: [3, 0, 5], offsets: [0, -1, 0.5]), row: [Float] = [0.25, -3, 0.0625]
        let scaled = row.enumerated().map { Float(steps.scaled(Double($1), of: $0)) }
        let dense = FloatWeights(inputs: 3, outputs: 2, values: [1, 2, 3, -4, 5, 6], bias: [0.5, 1])
        var plain = FloatGraph(input: FloatShape(channels: 3))
        plain.append(.gather([2, 0, 1]), FloatShape(channels: 3))
        plain.append(
            .depthwise(FloatWeights(inputs: 1, outputs: 3, values: [3, 5, 7], bias: [1, 2, 3]), KernelShape(height: 1, width: 1)),
            FloatShape(channels: 3))
        plain.appendDense(dense)
        let moved = try #require(plain.taking(steps))
        #expect(FloatRunner(moved).run(scaled).tensors.last == FloatRunner(plain).run(row).tensors.last)
        var parts = FloatGraph(input: FloatShape(channels: 3))
        parts.layers = [
            FloatLayer(.gather([0]), sources: [0], shape: FloatShape(channels: 1)),
            FloatLayer(.gather([2, 1]), sources: [0], shape: FloatShape(channels: 2)),
            FloatLayer(.concatenation(axis: 2), sources: [1, 2], shape: FloatShape(channels: 3)),
        ]
        #expect(parts.taking(steps) == nil) // what it gives would have another unit
        parts.appendDense(dense)
        let joined = try #require(parts.taking(steps))
        #expect(FloatRunner(joined).run(scaled).tensors.last == FloatRunner(parts).run(row).tensors.last)
        var curved = FloatGraph(input: FloatShape(channels: 3))
        curved.appendCurve(.relu)
        curved.appendDense(dense)
        #expect(curved.taking(steps) == nil && curved.taking(ColumnSteps(exponents: [0, 0, 0])) == curved)
    }
}

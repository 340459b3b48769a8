import NeuralNetwork
import Support
import Testing

@testable import Conversion

private let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/onnx"

private let names: [String] = ((try? Files.list(fixtures)) ?? []).filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }.sorted()

private func bytes(_ name: String) throws -> [UInt8] { try Files.read("\(fixtures)/\(name).onnx", limit: 1 << 20) }

private func rows(_ name: String) throws -> [[Double]] {
    String(decoding: try Files.read("\(fixtures)/\(name).csv", limit: 1 << 20), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: ",").compactMap { Double($0) }
    }
}

private func imported(_ bytes: [UInt8]) throws(Fault) -> ONNXImport.Imported {
    try ONNXImport.network(bytes, path: "\(fixtures)/x.onnx", input: .features, steps: 32)
}

// What a score says of two classes.
private func ofTwo(_ score: Double) -> [Double] {
    let second = 1 / (1 + Exponential.exp(-score))
    return [1 - second, second]
}

/// Made by Tests/Vectors/onnx_models.py and Tests/Vectors/keras_models.py; the outputs are onnxruntime's.
@Suite struct ONNXTests {
    @Test(arguments: [(1, 1), (4096, 1), (4160, 2), (8192, 2), (65536, 16), (4099, 1)])
    func manyRowsGoIntoSeveralLines(rows: Int, lines: Int) {
        // 4099 is prime: no tensor holds that many.
        #expect(FloatShape(rows: rows, channels: 2) == FloatShape(height: lines, width: rows / lines, channels: 2))
    }

    @Test func thereAreNetworksOfEveryConverter() {
        for start in ["new-", "open-", "sklearn-", "keras-", "boosted-"] { #expect(names.contains { $0.hasPrefix(start) }, "\(start)") }
        #expect(names.count >= 60)
    }

    /// In float they compute what onnxruntime does, whatever the layers have become.
    @Test(arguments: names) func theSameNumbersAsTheRuntime(_ name: String) throws {
        let found = try imported(try bytes(name))
        var predictor = FloatPredictor(found.graph)
        for (row, expected) in zip(try rows("rows-\(found.graph.input.count)"), try rows("\(name).outputs")) {
            predictor.reset()
            var outputs = try predictor.predict(row)
            if name == "sklearn-each-against-rest" { // what divides by the sum at the end is left out
                let sum = outputs.reduce(0, +)
                outputs = outputs.map { $0 / sum }
            }
            // Of scores the soft-max is given here.
            var wanted = expected
            if ["log-softmax", "boosted-scores"].contains(name) {
                let powers = expected.map { Exponential.exp($0) }, sum = name == "log-softmax" ? 1 : powers.reduce(0, +)
                wanted = powers.map { $0 / sum }
            }
            if expected.count == 1 { wanted = ofTwo(expected[0]) }
            #expect(outputs.count == wanted.count)
            let largest = wanted.reduce(1) { max($0, $1.magnitude) }
            for (a, b) in zip(outputs, wanted) { #expect((a - b).magnitude < 2e-3 * largest, "\(a) instead of \(b)") }
        }
    }

    /// In 8-bit weights and int16 numbers they decide as onnxruntime, where it does not hesitate.
    @Test(arguments: names) func theSameDecisionsInIntegers(_ name: String) throws {
        let found = try imported(try bytes(name)), inputs = try rows("rows-\(found.graph.input.count)")
        let calibrated = try CalibratedGraph(found.graph, count: inputs.count, row: { inputs[$0].map { Float($0) } })
        let options = ImportOptions(input: .features, labels: found.labels, state: .fresh)
        let (network, _) = try calibrated.quantised(QuantiserOptions(bits: 8, activations: .int16), options, path: name)
        var predictor = try Predictor(try NetworkFile.decode(try NetworkFile.encode(network), path: name))
        var decided = 0, alike = 0
        for (row, expected) in zip(inputs, try rows("\(name).outputs")) {
            let expected = expected.count == 1 ? ofTwo(expected[0]) : expected
            let sorted = expected.sorted(by: >), spread = sorted[0] - (sorted.last ?? 0)
            guard sorted[0] - sorted[1] > 0.1 * spread else { continue }
            decided += 1
            alike += try predictor.predict(row).map { Float($0) }.indexOfLargest == expected.map { Float($0) }.indexOfLargest ? 1 : 0
        }
        #expect(alike == decided)
    }

    /// Of one whose axes are x, y, z and samples, windows are still x, y, z of each sample.
    @Test func rawWindowsAreSamples() throws {
        let found = try ONNXImport.network(try bytes("flat"), path: "flat", input: .raw, steps: 32)
        #expect(found.graph.input == FloatShape(width: 32, channels: 3))
        let row = try #require(try rows("rows-96").first)
        var turned = FloatPredictor(found.graph), plain = FloatPredictor(try imported(try bytes("flat")).graph)
        let samples = (0..<32).flatMap { sample in (0..<3).map { row[$0 * 32 + sample] } }
        #expect(try turned.predict(samples) == plain.predict(row))
    }

    /// Files that ended in a crash: layers that do not fit each other, behind a forest.
    @Test(arguments: ["forest-behind"]) func whatWasDamagedIsRefused(_ name: String) {
        #expect(throws: Fault.self) { try ONNXImport.network("\(fixtures)-damaged/\(name).onnx", input: .features, steps: 32) }
    }

    /// A row of numbers that the network reshapes lies as it does so: here all of x, then y, then z.
    @Test func aRowLiesAsTheNetworkReshapesIt() throws {
        let found = try ONNXImport.network(try bytes("row"), path: "row", input: .raw, steps: 32)
        let row = try #require(try rows("rows-96").first)
        var turned = FloatPredictor(found.graph), plain = FloatPredictor(try imported(try bytes("row")).graph)
        let samples = (0..<32).flatMap { sample in (0..<3).map { row[$0 * 32 + sample] } }
        #expect(try turned.predict(samples) == plain.predict(row))
    }

    /// Of pieces of a window, each x, y, z and samples, it is still samples one after the other.
    @Test func piecesOfAWindowAreSamples() throws {
        let found = try ONNXImport.network(try bytes("pieces"), path: "pieces", input: .raw, steps: 32)
        let row = try #require(try rows("rows-96").first)
        var turned = FloatPredictor(found.graph), plain = FloatPredictor(try imported(try bytes("pieces")).graph)
        // [piece][axis][sample of the piece]
        var samples: [Double] = []
        for sample in 0..<32 {
            let first = sample / 16 * 48 + sample % 16
            for axis in 0..<3 { samples.append(row[first + axis * 16]) }
        }
        #expect(try turned.predict(samples) == plain.predict(row))
    }

    /// Written out by exporters before opset 17, by PyTorch and by Keras, it is one layer again.
    @Test(arguments: [
        ("open-transformer", 2), ("keras-layer-norm", 1), ("keras-encoder", 2), ("deviation", 1), ("new-deviation", 1),
        ("deviation-other-axis", 0), ("scores-beside", 1), ("scores-limited", 1), ("scores-once-more", 1),
    ])
    func layerNormalisationIsFound(_ name: String, _ count: Int) throws {
        let layers = try imported(try bytes(name)).graph.layers
        #expect(layers.count { if case .normalisation = $0.operation { true } else { false } } == count)
    }

    /// PyTorch's RMSNorm, `normalize` and `norm`, each in its own operators.
    @Test(arguments: [
        "unit-length", "normalize", "new-normalize", "rms-norm", "new-rms-norm", "new-rms-layer", "length-of-weights", "length-inverse",
    ])
    func rootMeanSquaresAreFound(_ name: String) throws {
        let layers = try imported(try bytes(name)).graph.layers
        #expect(layers.count { if case .rootMeanSquare = $0.operation { true } else { false } } == 1)
    }

    /// What looks like it by its names, and is another computation by its shapes: it is divided by a length.
    @Test(arguments: [("length-no-axes", false), ("length-expanded", true), ("length-three-axes", true)])
    func otherShapesAreNotJoined(_ name: String, isDivided: Bool) throws {
        let layers = try imported(try bytes(name)).graph.layers
        #expect(layers.contains { $0.operation == .divide } == isDivided)
    }

    /// Numbers that nothing but limits follows cost no layer and no table: its corners would be rounded.
    @Test func limitsArePartOfTheLayerBefore() throws {
        let found = try imported(try bytes("limited")), inputs = try rows("rows-17")
        let calibrated = try CalibratedGraph(found.graph, count: inputs.count, row: { inputs[$0].map { Float($0) } })
        for activations in [IntegerType.int8, .int16] {
            let (network, _) = try calibrated.quantised(
                QuantiserOptions(bits: 8, activations: activations), ImportOptions(input: .features), path: "limited")
            #expect(network.layers.map(\.kind) == [.dense, .dense])
            let first = network.layers[0], scale = first.output.quantisation
            #expect((scale.real(Int16(first.limits.lowerBound)) + 0.7).magnitude <= scale.scale)
            #expect((scale.real(Int16(first.limits.upperBound)) - 0.9).magnitude <= scale.scale)
        }
    }

    /// Float has no quotient of two zeros: an export gives what the integers do, and is read again.
    @Test(arguments: ["over-what-is-not-zero", "root-of-fourth-powers", "span", "moments"])
    func quotientsComeBackOutOfAnExport(_ name: String) throws {
        let found = try imported(try bytes(name)), inputs = try rows("rows-17") + [[Double](repeating: 0, count: 17)]
        let calibrated = try CalibratedGraph(found.graph, count: inputs.count, row: { inputs[$0].map { Float($0) } })
        let (network, _) = try calibrated.quantised(
            QuantiserOptions(bits: 8, activations: .int16), ImportOptions(input: .features), path: name)
        #expect(network.layers.contains { $0.kind == .divide } || name == "moments")
        var integers = try Predictor(network), floats = FloatPredictor(try imported(try ONNXExport.encode(network, name: name)).graph)
        for row in inputs {
            let wanted = try integers.predict(row), outputs = try floats.predict(row), most = wanted.reduce(0.1) { max($0, $1.magnitude) }
            for (a, b) in zip(outputs, wanted) { #expect((a - b).magnitude < 0.03 * most, "\(a) instead of \(b)") }
        }
    }

    /// What a root is of is looked for in a few operators before it, however many there are.
    @Test func aLongChainBelowARootIsRefusedLikeAnyOther() throws {
        var graph = ONNXGraph()
        graph.inputs.append(.init(name: "x", shape: [1, 4]))
        var last = "x"
        for index in 0..<50_000 { last = graph.append("Sub", [last, "x"], name: "difference_\(index)") }
        graph.outputs.append(.init(name: graph.append("Sqrt", [last], name: "root"), shape: [1, 4]))
        let bytes = graph.model(name: "x", metadata: [])
        #expect(throws: Fault.self) { try imported(bytes) }
    }

    /// Less than all classes are divided behind it: what comes out are no probabilities.
    @Test func aSoftmaxBeforePartsIsALayer() throws {
        let graph = try imported(try bytes("length-of-parts")).graph
        #expect(graph.output == .logits && graph.layers.contains { $0.operation == .softmax })
    }

    /// In a table of inverses nothing but one row of zeros would have a place.
    @Test func aRowOfZerosIsLeftOutOfInverses() throws {
        let length = Expression.sum(.function(.magnitude, .input), .constant(1e-9))
        let inverse = FloatLayer(
            .curve(.expression(.quotient(.constant(1), length))), sources: [0], shape: FloatShape(channels: 17))
        var graph = FloatGraph(input: FloatShape(channels: 17))
        graph.layers.append(inverse)
        let inputs = (1...200).map { row in (1...17).map { Float(row * $0 % 101 + 10) / 100 } } + [[Float](repeating: 0, count: 17)]
        let plain = try CalibratedGraph(graph, count: inputs.count - 1, row: { inputs[$0] })
        let calibrated = try CalibratedGraph(graph, count: inputs.count, row: { inputs[$0] })
        #expect(calibrated.places[1].range == plain.places[1].range && plain.places[1].range.upperBound < 11)
    }

    /// Trees behind a scaler read what it reads.
    @Test func aScalerGoesIntoThresholds() throws {
        let graph = try imported(try bytes("sklearn-scaled-forest")).graph
        #expect(graph.layers.count == 1)
    }

    /// Whatever adds, weighs or mixes what trees give goes into their leaves.
    @Test(arguments: ["bagging", "stacking", "adaptive"]) func severalForestsBecomeOne(_ name: String) throws {
        let graph = try imported(try bytes("sklearn-\(name)")).graph
        #expect(graph.layers.count == 1)
        #expect(graph.output == (name == "bagging" ? .independent : .softmax))
    }

    /// Without a ZipMap scikit-learn's names are those that the decision is looked up in.
    @Test(arguments: ["bagging", "stacking", "adaptive", "each-against-rest", "calibrated"]) func namesAreKept(_ name: String) throws {
        #expect(try imported(try bytes("sklearn-\(name)")).labels == ["LAYING", "SITTING", "STANDING", "WALKING"])
    }

    /// Nine signals would be read as windows of x, y and z three times as long.
    @Test func windowsOfOtherSignalsAreRefused() {
        for shape in [[1, 6, 128], [1, 128, 9], [1, 1, 9, 128], [1, 4, 32, 9], [2, 192], [1, 128, 12]] {
            #expect(throws: Fault.self, "\(shape)") { try NetworkInput.raw.requireThreeSignals(shape, path: "x.onnx") }
        }
        for shape in [[1, 384], [1, 3, 128], [1, 128, 3], [1, 4, 32, 3], [1, 1, 384]] {
            #expect(throws: Never.self, "\(shape)") { try NetworkInput.raw.requireThreeSignals(shape, path: "x.onnx") }
        }
        #expect(throws: Never.self) { try NetworkInput.features.requireThreeSignals([1, 9, 128], path: "x.onnx") }
    }

    @Test func theGuideNamesEveryOperator() throws {
        let page = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/board/guide/models.md"
        let words = String(decoding: try Files.read(page, limit: 1 << 20), as: UTF8.self).split {
            !$0.isLetter && !$0.isNumber && $0 != "_"
        }
        let known = Set(words.map(String.init))
        for name in ONNXOperator.allCases.map(\.rawValue) + TFLiteOperator.allCases.map(\.rawValue) {
            #expect(known.contains(name), "\(name)")
        }
    }

    /// Ten trees' values add up to a half in integers as well: the first class decides, as scikit-learn has it.
    @Test func aTieOfTwoClassesStaysATie() throws {
        let found = try imported(try bytes("trees-tied")), inputs = try rows("rows-17")
        let calibrated = try CalibratedGraph(found.graph, count: inputs.count, row: { inputs[$0].map { Float($0) } })
        for activations in [IntegerType.int8, .int16] {
            let (network, _) = try calibrated.quantised(
                QuantiserOptions(bits: 8, activations: activations), ImportOptions(input: .features, labels: found.labels), path: "trees")
            var predictor = try Predictor(network)
            let row = try predictor.predict(inputs[0])
            #expect(row[0] == row[1])
        }
    }

    @Test func labelsComeOutOfClassifiers() throws {
        #expect(try imported(try bytes("sklearn-forest")).labels == ["LAYING", "SITTING", "STANDING", "WALKING"])
    }

    @Test(arguments: ["flat", "lstm", "new-transformer", "sklearn-forest", "keras-lstm"]) func everyTruncationIsAFault(
        _ name: String
    ) throws {
        let whole = try bytes(name)
        for count in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: Fault.self, "\(count) bytes") { try imported(Array(whole.prefix(count))) }
        }
    }

    /// Operators that read what they give themselves, or each other, are refused.
    @Test func circlesAreFaults() throws {
        // A node: field 1 its inputs, 2 its outputs, 4 its kind; a graph: 1 nodes, 11 inputs, 12 outputs; a model: 7 the graph.
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        func node(_ kind: String, _ from: String, _ to: String) -> [UInt8] {
            field(1, field(1, Array(from.utf8)) + field(2, Array(to.utf8)) + field(4, Array(kind.utf8)))
        }
        let shape = field(2, field(1, [8, 1]) + field(1, [8, 4])), type = field(2, field(1, [8, 1] + shape))
        func model(_ nodes: [UInt8]) -> [UInt8] {
            let ends = field(11, field(1, Array("x".utf8)) + type) + field(12, field(1, Array("y".utf8)) + type)
            return field(7, nodes + ends)
        }
        #expect(try imported(model(node("Relu", "x", "y"))).graph.layers.count == 1)
        for nodes in [
            node("Flatten", "y", "y"), node("Flatten", "b", "a") + node("Identity", "a", "b") + node("Relu", "b", "y"),
            node("Loop", "y", "y"),
        ] { #expect(throws: Fault.self) { try imported(model(nodes)) } }
        let round = model(node("Abs", "b", "a") + node("Relu", "a", "b") + node("Neg", "b", "y"))
        let fault = #expect(throws: Fault.self) { try imported(round) }
        #expect(fault?.message.contains("comes out of it: a circle") == true)
    }

    /// A changed byte gives another network or a fault; it never traps.
    @Test(arguments: ["flat", "lstm", "transformer", "sklearn-tree", "keras-lstm"]) func changedBytesNeverTrap(_ name: String) throws {
        let whole = try bytes(name)
        var random = RandomNumbers(seed: UInt64(whole.count))
        for place in stride(from: 0, to: whole.count, by: 3) {
            var changed = whole
            changed[place] = UInt8(random.below(256))
            _ = try? imported(changed)
        }
    }

    /// A name that moves to another field: operators lose an input, a loop's body what it is given.
    @Test(arguments: ["flat", "lstm", "new-transformer", "sklearn-tree", "keras-lstm", "keras-gru"]) func missingInputsNeverTrap(
        _ name: String
    ) throws {
        let whole = try bytes(name)
        for (place, byte) in whole.enumerated() {
            // Field 1 of a node is an input and 3 its name; field 11 of a graph is an input and 13 the type of a value.
            guard let other: UInt8 = [0x0A: 0x1A, 0x5A: 0x6A][byte] else { continue }
            var changed = whole
            changed[place] = other
            _ = try? imported(changed)
        }
    }
}

package import NeuralNetwork
package import Support

/// A network of floats out of an ONNX file, as PyTorch, tf2onnx, Keras and scikit-learn's converter write them (opset 9 and newer).
///
/// What only moves numbers about costs nothing until somebody reads them in another order; functions of one number, like GELU, become one
/// table; scales and offsets go into the weights before them.
package enum ONNXImport {
    package struct Imported: Sendable {
        package var graph: FloatGraph
        /// Of a classifier out of scikit-learn.
        package var labels: [String]?
    }

    /// - Parameters:
    ///   - input: for raw windows the file's axes may be samples and x, y, z, or the other way round.
    ///   - steps: of an input whose length the file leaves open.
    ///   - output: the tensor that has the classes; nil: the file's only output.
    /// - Throws: `.noInput`, `.permission`, `.badData` naming the operators, `.usage` where there is no such output.
    package static func network(
        _ path: String, input: NetworkInput, steps: Int, output: String? = nil
    ) throws(Fault) -> Imported {
        try network(try Files.read(path, limit: NetworkFile.sizeLimit), path: path, input: input, steps: steps, output: output)
    }

    /// Files beside an ONNX file that hold tensors of it.
    package static func dataFiles(of path: String) throws(Fault) -> Set<String> {
        try ONNXFile(try Files.read(path, limit: NetworkFile.sizeLimit), path: path).dataFiles
    }

    static func network(
        _ bytes: [UInt8], path: String, input: NetworkInput, steps: Int, output: String? = nil
    ) throws(Fault) -> Imported {
        let whole = try ONNXFile(bytes, path: path), file = try output.map { name throws(Fault) in try whole.giving(name) } ?? whole
        var apart: Set<Int> = []
        for _ in 0..<mostAttempts {
            var unfit: Set<Int> = []
            do {
                let imported = try network(file, path: path, input: input, steps: steps, apart: apart, &unfit)
                guard !unfit.isEmpty else { return imported }
            } catch {
                // What does not fit shows in what follows.
                guard !unfit.isEmpty else { throw error }
            }
            apart.formUnion(unfit)
        }
        throw file.bad("its divisions by lengths and sums are of too many shapes")
    }

    private static let mostAttempts = 16

    // - Parameters:
    //   - apart: operators that are not to be joined with others.
    //   - unfit: more of them.
    private static func network(
        _ file: ONNXFile, path: String, input: NetworkInput, steps: Int, apart: Set<Int>, _ unfit: inout Set<Int>
    ) throws(Fault) -> Imported {
        let nodes = try needed(file, apart)
        let unknown = Set(nodes.map(\.kind).filter { ONNXOperator(rawValue: $0) == nil }).sorted()
        guard unknown.isEmpty else {
            throw file.bad(
                "it has operators that cannot be run: \(unknown.joined(separator: ", "))",
                remedy: remedy(unknown))
        }
        let whole = try ONNXInput(file, kind: input, steps: steps), ends = try ends(nodes, file, apart)
        func made(keepsScales: Bool) throws(Fault) -> Imported {
            var builder = ONNXBuilder(file, nodes: nodes, apart: apart, input: whole, keepsScales: keepsScales)
            defer { unfit.formUnion(builder.unfit) }
            builder.graph.state = .fresh
            builder.labels = file.classNames
            var titles = ["its input"]
            for node in nodes {
                guard let kind = ONNXOperator(rawValue: node.kind) else { continue }
                try builder.append(node, kind, endsIn: node.outputs.contains(where: ends.contains))
                titles += Array(repeating: node.title, count: builder.graph.layers.count + 1 - titles.count)
                // Some are joined to others in the end.
                guard builder.graph.layers.count <= 2 * NetworkFile.mostLayers else { throw file.tooManyLayers }
            }
            guard !keepsScales || builder.quantisesOnce(whole.name) else { throw file.bad("its input has several scales") }
            let unjoined = try finished(&builder)
            try unjoined.requireFitting(path: path)
            var graph = unjoined.movingTreesToInput().joiningForests().withoutUnread()
            graph = graph.comparingSquareSums().dividingByLargest().takingCurvesOfRoots()
            graph.joinScales()
            try graph.requireFitting(path: path)
            if keepsScales, !graph.isQuantised {
                let open = unjoined.placeToCalibrate.map { "\($0 < titles.count ? titles[$0] : "its output") \(unjoined.obstacle(at: $0))" }
                throw file.bad(open ?? "its layers have scales that do not go together")
            }
            for node in nodes where node.kind == "ZipMap" {
                guard let names = try ONNXBuilder.labels(node), names.count != graph.last.count else { continue }
                throw file.bad(
                    "its ZipMap names \(names.count) classes, and there are \(graph.last.count)", remedy: "Convert the model again.")
            }
            return Imported(graph: graph, labels: builder.labels.first { $0.count == graph.last.count })
        }
        // Where the file quantises all of it, it runs with the file's own scales; where only a part, on scales of Gaitway's.
        var obstacle: String?
        if nodes.contains(where: { $0.kind == "QuantizeLinear" }) {
            do throws(Fault) {
                return try made(keepsScales: true)
            } catch {
                obstacle = String(error.message.trimmingPrefix("\(path): "))
            }
        }
        do {
            var imported = try made(keepsScales: false)
            imported.graph.obstacleToScales = obstacle
            return imported
        } catch {
            guard let open = whole.open, error.remedy == ONNXFile.usualRemedy else { throw error }
            let extents = open.map { $0 > 0 ? "\($0)" : "?" }.joined(separator: ", ")
            throw Fault(
                error.code, error.message,
                remedy: """
                    The file leaves axes of its input open, [\(extents)], for which \(steps) was taken: say with --window how many \
                    samples a window has, or export it with these axes.
                    """)
        }
    }

    private static func remedy(_ unknown: [String]) -> String {
        // Neighbours are windows out of the training set: hundreds of them for each decision.
        if unknown.contains(where: { ["SVMRegressor", "CDist", "Scan"].contains($0) }) {
            return "Train a forest (RandomForestClassifier) or a network (MLPClassifier) on the same features instead."
        }
        if unknown.contains(where: { $0.hasPrefix("com.microsoft.") }) {
            return "onnxruntime has joined operators to its own. Import the file that it was given."
        }
        if unknown.contains(where: { $0.contains(".") }) {
            return """
                Operators of such domains are not ONNX's own. Functions that the file itself defines can be written out: \
                onnx.inliner.inline_local_functions(onnx.load(FILE)).
                """
        }
        if unknown.contains("RotaryEmbedding") {
            return "Export it with an older opset, whose operators it is put together of: opset_version=21."
        }
        if unknown.contains("TopK") { return "Where the largest number is all that is needed, export the network with a maximum (amax)." }
        if !Set(unknown).isDisjoint(with: ["OneHotEncoder", "LabelEncoder", "StringNormalizer"]) {
            return "Classes of numbers are for trees to find: train one on the numbers themselves, or leave the encoder out."
        }
        return "Export the network before them, or without them. What can be run stands in the guide's page on models."
    }

    // The operators that the output depends on, each behind what it reads: where loops read from outside, files have other orders; those on
    // integers as what they stand for.
    private static func needed(_ file: ONNXFile, _ apart: Set<Int>) throws(Fault) -> [ONNXFile.Node] {
        guard file.outputs.count == 1 else {
            throw file.bad(
                "it has the outputs \(file.outputs.prefix(8).map { Printable.short($0, 80) }.joined(separator: ", ")); one can be run",
                remedy: "Name the one that has a number for each class with --output-name.")
        }
        var makers: [String: Int] = [:]
        for (index, node) in file.nodes.enumerated() {
            for name in node.outputs where !name.isEmpty && makers[name] == nil { makers[name] = index }
        }
        let normalisation = ONNXNormalisation(file: file, makers: makers, apart: apart)
        var nodes: [ONNXFile.Node] = [], begun = Set<Int>(), open: [(index: Int, isDone: Bool)] = []
        func wait(for names: [String]) { open += names.reversed().compactMap { makers[$0] }.map { ($0, false) } }
        wait(for: file.outputs)
        while let (index, isDone) = open.popLast() {
            let node = try normalisation.of(file.nodes[index]) ?? file.nodes[index]
            if isDone {
                nodes += node.expanded
            } else if begun.insert(index).inserted {
                open.append((index, true))
                wait(for: node.inputs + (try node.captured()))
            }
        }
        return nodes
    }

    // Of each tensor, whether nothing follows that changes numbers: a soft-max there is the network's own.
    private static func ends(_ nodes: [ONNXFile.Node], _ file: ONNXFile, _ apart: Set<Int>) throws(Fault) -> Set<String> {
        let plain: Set = [
            "ArgMax", "Cast", "DequantizeLinear", "Flatten", "Identity", "LpNormalization", "Normalizer", "QuantizeLinear", "Reshape",
            "Squeeze", "ZipMap",
        ]
        var ends = Set(file.outputs), isRead = Set<String>(), goesOn = Set<String>()
        for node in nodes.reversed() {
            for name in node.outputs where isRead.contains(name) && !goesOn.contains(name) { ends.insert(name) }
            var isPlain = false
            if node.outputs.contains(where: ends.contains) {
                isPlain = plain.contains(node.kind) && !apart.contains(node.index)
                // LightGBM's converter multiplies what it gives by one.
                if node.kind == "Mul", node.inputs.count == 2 { isPlain = try file.constant(node.inputs[1])?.scalar == 1 }
            }
            for name in node.inputs + (try node.captured()) {
                isRead.insert(name)
                if !isPlain { goesOn.insert(name) }
            }
        }
        return ends
    }

    private static func finished(_ builder: inout ONNXBuilder) throws(Fault) -> FloatGraph {
        guard let result = builder.result(), result.constant == nil else {
            throw builder.file.bad("its output does not depend on its input")
        }
        guard case .computed(let place, let curve) = result.content, builder.graph.output == .logits else {
            return end(&builder, result, builder.graph.output)
        }
        var inner = curve
        if case .curve(.sigmoid, let score) = curve {
            guard result.count == 1 else { return end(&builder, result, .independent) }
            inner = score
        }
        // One probability, or its score: of the second of two classes.
        if result.count == 1 {
            guard inner != curve || curve.line != nil && place > 0 && builder.graph.layers[place - 1].operation.isLinear else {
                throw builder.file.bad(
                    "it gives one number, which is neither a sigmoid's nor a layer's of weights",
                    remedy: "Export it with a number for each class.")
            }
            let score = ONNXValue(place: place, curve: inner, shape: [1, 1], order: result.order)
            let source = builder.arranged(score, axes: [0, 1], FloatShape(channels: 1))
            _ = builder.append(
                .dense(FloatWeights(inputs: 1, outputs: 2, values: [0, 1])), [source], FloatShape(channels: 2))
            builder.graph.output = .softmax
            return builder.graph
        }
        return end(&builder, result, builder.graph.output)
    }

    private static func end(_ builder: inout ONNXBuilder, _ result: ONNXValue, _ output: NetworkOutput) -> FloatGraph {
        let shape = FloatShape(channels: result.count)
        let last = builder.arranged(result, axes: Array(result.shape.indices), shape)
        if last != builder.graph.layers.count || last == 0 {
            builder.graph.layers.append(FloatLayer(.reshape, sources: [last], shape: shape))
        }
        builder.graph.output = output
        return builder.graph
    }
}

extension FloatOperation {
    fileprivate var isLinear: Bool {
        switch self {
        case .dense, .convolution, .depthwise: true
        default: false
        }
    }
}

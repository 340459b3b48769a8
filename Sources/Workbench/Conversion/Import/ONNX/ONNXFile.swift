internal import NeuralNetwork
internal import Support

/// What Gaitway needs of an ONNX file: the graph's operators and constants. The numbers of fields are those of onnx.proto.
struct ONNXFile {
    struct Node {
        var index: Int
        var kind: String
        var name: String
        /// Names of tensors; "": one that is left out.
        var inputs: [String]
        var outputs: [String]
        private var attributes: [String: WireMessage]
        // In the place of attributes.
        private var axis: Int?
        /// Of several operators that were joined to this one.
        private(set) var axes: ONNXAxes?
        /// Axes that must be the same ones, written in another way.
        private(set) var others: ONNXAxes?
        private var epsilon: Float?
        private var norm: String?
        /// Whether axes that operators were joined over have an extent of one.
        private(set) var keepsAxes = true
        /// What becomes of what they give.
        private(set) var outer = Expression.input

        fileprivate init(_ message: WireMessage, _ index: Int) throws(Fault) {
            (self.index, inputs, outputs) = (index, message.texts(1), message.texts(2))
            (name, kind) = (message.texts(3).last ?? "", Self.kind(message.texts(4).last ?? "", domain: message.texts(7).last ?? ""))
            var found: [String: WireMessage] = [:]
            for attribute in try message.messages(5) { found[attribute.texts(1).last ?? ""] = attribute }
            attributes = found
        }

        // Operators of other domains are others, whatever their names are.
        private static func kind(_ name: String, domain: String) -> String {
            switch domain {
            case "", "ai.onnx", "ai.onnx.ml": name
            case "com.microsoft" where name != "Attention": name
            default: "\(Printable.short(domain, 80)).\(name)"
            }
        }

        /// Another operator in its place.
        func replaced(
            _ kind: String, _ inputs: [String], _ outputs: [String], keepsAttributes: Bool = false, axis: Int? = nil,
            axes: ONNXAxes? = nil, others: ONNXAxes? = nil, epsilon: Float? = nil, norm: String? = nil, keepsAxes: Bool = true,
            outer: Expression = .input
        ) -> Node {
            var node = self
            (node.kind, node.inputs, node.outputs) = (kind, inputs, outputs)
            (node.axis, node.axes, node.others) = (axis, axes, others)
            (node.epsilon, node.norm, node.keepsAxes, node.outer) = (epsilon, norm, keepsAxes, outer)
            if !keepsAttributes { node.attributes = [:] }
            return node
        }

        /// For messages.
        var title: String { "operator \(index) (\(kind)\(name.isEmpty ? "" : " \(Printable.short(name, 80))"))" }

        func has(_ name: String) -> Bool { attributes[name] != nil }
        func integer(_ name: String, default fallback: Int = 0) -> Int {
            if name == "axis", let axis { return axis }
            return attributes[name].map { Int(clamping: $0.signed(3)) } ?? fallback
        }
        func float(_ name: String, default fallback: Float = 0) -> Double {
            if name == "epsilon", let epsilon { return Double(epsilon) }
            return Double(attributes[name]?.float(2) ?? fallback)
        }
        func text(_ name: String) -> String? {
            if name == "norm", let norm { return norm }
            return attributes[name].map { String(decoding: $0.bytes(4), as: UTF8.self) }
        }
        func texts(_ name: String) -> [String] { attributes[name]?.texts(9) ?? [] }
        func floats(_ name: String) -> [Float] { attributes[name]?.floats(7) ?? [] }
        func integers(_ name: String) throws(Fault) -> [Int]? { try attributes[name]?.integers(8).map { Int(clamping: $0) } }
        func tensor(_ name: String) throws(Fault) -> WireMessage? { try attributes[name]?.message(5) }

        /// A graph inside, with what it reads from outside.
        func graph(_ name: String) throws(Fault) -> Graph? {
            try attributes[name].map { message throws(Fault) in try Graph(message.message(6)) }
        }

        /// What the graphs inside read from outside.
        func captured() throws(Fault) -> [String] {
            var names: [String] = []
            for name in ["body", "then_branch", "else_branch"] { names += try graph(name)?.captured ?? [] }
            return names
        }

        func input(_ position: Int) -> String? {
            inputs.indices.contains(position) && !inputs[position].isEmpty ? inputs[position] : nil
        }
    }

    /// The body of a loop, or a branch.
    struct Graph {
        let nodes: [Node]
        let inputs: [String]
        let outputs: [String]
        /// Names that it neither takes nor makes.
        let captured: [String]

        fileprivate init(_ graph: WireMessage) throws(Fault) {
            var nodes: [Node] = []
            for message in try graph.messages(1) { nodes.append(try Node(message, nodes.count)) }
            inputs = try graph.messages(11).map { message throws(Fault) in message.texts(1).last ?? "" }
            outputs = try graph.messages(12).map { message throws(Fault) in message.texts(1).last ?? "" }
            let own = try graph.messages(5).map { message throws(Fault) in message.texts(8).last ?? "" }
            let known = Set(inputs + own + nodes.flatMap(\.outputs))
            self.nodes = nodes
            captured = (nodes.flatMap(\.inputs) + outputs).filter { !$0.isEmpty && !known.contains($0) }
        }
    }

    struct Input {
        var name: String
        /// 0: left open; below: a number that is no extent.
        var shape: [Int]
        /// ONNX's number of the type.
        var element: UInt64

        var isFloat: Bool { [1, 10, 11].contains(element) }
        var isBrief: Bool { element == 16 }
    }

    let path: String
    /// Bytes; a byte holds one number at most.
    let size: Int
    let opset: Int
    let nodes: [Node]
    let inputs: [Input]
    /// Names, without those of labels.
    private(set) var outputs: [String]
    /// The numbers of which a label is the largest.
    let decisive: Set<String>
    /// Outputs that are labels, beside others of numbers.
    private let labels: Set<String>
    private let initializers: [String: WireMessage]
    /// How many windows it takes at once, where that stands in the file: the first axis of what it takes and of what it gives.
    let batch: Int

    // Many more than layers: one that is written step by step has some for each step.
    private static let mostNodes = 20_000

    /// - Throws: `.badData` naming the byte.
    init(_ bytes: [UInt8], path: String) throws(Fault) {
        (self.path, size) = (path, bytes.count)
        let model = try WireMessage(bytes, path: path), graph = try model.message(7)
        guard model.has(7), graph.has(1) else {
            throw Fault(.badData, "\(path) is no ONNX model: it has no graph", remedy: "Is the file whole? Export it again.")
        }
        var opset = 0
        for set in try model.messages(8) where ["", "ai.onnx"].contains(set.texts(1).last ?? "") { opset = Int(clamping: set.signed(2)) }
        self.opset = opset
        guard opset == 0 || opset >= 9 else { // 0: trees alone, which have a set of their own
            throw Fault(
                .badData, "\(path) is of opset \(opset); 9 and newer can be read", remedy: "Export it anew with a newer opset_version.")
        }
        let operators = try graph.messages(1)
        guard operators.count <= Self.mostNodes else {
            throw Fault(
                .badData, "\(path) has \(operators.count) operators; up to \(Self.mostNodes) can be read",
                remedy: "Use a smaller network, with whole LSTM or GRU layers in the place of loops over cells.")
        }
        var nodes: [Node] = []
        for message in operators { nodes.append(try Node(message, nodes.count)) }
        self.nodes = nodes
        var initializers: [String: WireMessage] = [:]
        for tensor in try graph.messages(5) {
            let name = tensor.texts(8).last ?? ""
            guard initializers.updateValue(tensor, forKey: name) == nil else {
                throw Fault(.badData, "\(path) holds the tensor \(Printable.short(name, 80)) twice", remedy: "Export it again.")
            }
        }
        self.initializers = initializers
        var inputs: [Input] = []
        for value in try graph.messages(11) {
            let name = value.texts(1).last ?? "", tensor = try value.message(2).message(1)
            guard initializers[name] == nil else { continue }
            // Some write an open axis as -1, or a batch as 0.
            let shape = try tensor.message(2).messages(1).enumerated().map { axis, extent in
                let number = extent.has(1) ? Int(clamping: extent.signed(1)) : -1
                return number == -1 || number == 0 && axis == 0 ? 0 : number > 0 ? number : -1
            }
            inputs.append(Input(name: name, shape: shape, element: tensor.integer(1)))
        }
        self.inputs = inputs
        var outputs: [(name: String, isLabel: Bool)] = [], batches: [Int] = inputs.map { $0.shape.count > 1 ? $0.shape[0] : 0 }
        for value in try graph.messages(12) {
            let type = try value.message(2), element = try type.message(1).integer(1)
            let extents = try type.message(1).message(2).messages(1)
            batches.append(extents.count > 1 ? Int(clamping: extents[0].signed(1)) : 0)
            // int32, int64 and strings: what scikit-learn's converter calls the label.
            outputs.append((value.texts(1).last ?? "", type.has(1) && [6, 7, 8].contains(element)))
        }
        batch = batches.first.map { first in batches.count > 1 && batches.allSatisfy { $0 == first } ? first : 0 } ?? 0
        let numbers = outputs.filter { !$0.isLabel }, labels = outputs.filter(\.isLabel).map(\.name)
        self.outputs = Self.scores(behind: labels, nodes) ?? (numbers.isEmpty ? outputs : numbers).map(\.name)
        let largest = nodes.filter { $0.kind == "ArgMax" && !Self.moved([$0.outputs.first ?? ""], nodes).isDisjoint(with: labels) }
        decisive = Set(largest.compactMap { $0.input(0) })
        self.labels = numbers.isEmpty ? [] : Set(labels)
    }

    /// Where tensors lie that are in files beside it.
    var dataFiles: Set<String> {
        Set(initializers.values.compactMap { try? ONNXConstant.place(of: $0).flatMap { $0["location"] } }.map(beside))
    }

    /// The path of a file in its directory.
    func beside(_ name: String) -> String {
        (path.split(separator: "/", omittingEmptySubsequences: false).dropLast() + [Substring(name)]).joined(separator: "/")
    }

    /// The same file as one that gives nothing but tensor `name`.
    ///
    /// - Throws: `.usage` where no operator gives that.
    func giving(_ name: String) throws(Fault) -> ONNXFile {
        guard nodes.contains(where: { $0.outputs.contains(name) }), !labels.contains(name) else {
            let what = labels.contains(name) ? "gives the label, not a number for each class" : "is no tensor that its operators give"
            let others = outputs.map { Printable.short($0, 80) }.prefix(8).joined(separator: ", ")
            throw Fault(.usage, "\(path): --output-name \"\(Printable.short(name, 80))\" \(what)", remedy: "Its outputs are \(others).")
        }
        var file = self
        file.outputs = [name]
        return file
    }

    // The scores of the support vector machine whose decision the label is: what scikit-learn's converter makes of them beside it may rank
    // classes otherwise.
    private static func scores(behind labels: [String], _ nodes: [Node]) -> [String]? {
        guard let machine = nodes.last(where: { $0.kind == "SVMClassifier" && $0.outputs.count > 1 }) else { return nil }
        return moved([machine.outputs[0]], nodes).isDisjoint(with: labels) ? nil : [machine.outputs[1]]
    }

    // What a class' number is called on its way to a label.
    private static func moved(_ names: Set<String>, _ nodes: [Node]) -> Set<String> {
        let moving: Set = ["ArrayFeatureExtractor", "Cast", "Identity", "Reshape"]
        return nodes.reduce(into: names) { names, node in
            if moving.contains(node.kind), node.inputs.contains(where: names.contains) { names.formUnion(node.outputs) }
        }
    }

    static let usualRemedy = "What can be run stands in the guide's page on models."

    func bad(_ what: String, remedy: String = usualRemedy) -> Fault {
        Fault(.badData, "\(path): \(what)", remedy: remedy)
    }

    var tooManyLayers: Fault {
        bad(
            "it becomes more than \(NetworkFile.mostLayers) layers",
            remedy: """
                Use a smaller network, or fewer steps: where each step is written by itself (a cell in a loop, RNN with ReLU) it is \
                several layers; all steps of nn.LSTM, nn.GRU and nn.RNN with tanh are one.
                """)
    }

    /// What scikit-learn's converter looks labels up in, the last first: that of the whole.
    var classNames: [[String]] {
        nodes.reversed().filter { $0.kind == "ArrayFeatureExtractor" }.compactMap { node in
            guard let name = node.input(0), let tensor = initializers[name] else { return nil }
            return tensor.integer(2) == 8 ? tensor.texts(6) : try? constant(tensor, name).integers.map { "\($0)" }
        }
    }

    /// - Parameter asFloats: see ``ONNXConstant/init(_:file:name:asFloats:)``.
    func constant(_ name: String, asFloats: Bool = false) throws(Fault) -> ONNXConstant? {
        guard let tensor = initializers[name] else { return nil }
        return try ONNXConstant(tensor, file: self, name: name, asFloats: asFloats)
    }

    func constant(_ tensor: WireMessage, _ name: String) throws(Fault) -> ONNXConstant {
        try ONNXConstant(tensor, file: self, name: name)
    }
}

package import NeuralNetwork
package import Support

/// A quantised network as ONNX in float, for other people's tools: one or more windows at once, first axis. A state that goes from
/// window to window runs along that axis, and is an input and an output besides.
///
/// The weights are those that the integers stand for; what the integers round between the layers is not rounded there, so that a decision
/// may differ where two classes are nearly alike.
package struct ONNXExport {
    let network: Network
    var graph = ONNXGraph()
    /// Each tensor's name, as [windows, (height,) (width,) channels]; 0 is the input.
    private var rows: [Int: String] = [:]
    /// The same with the channels before one or two axes of positions, as convolutions take them.
    private var columns: [Columns: String] = [:]

    private struct Columns: Hashable {
        var tensor: Int
        var axes: Int
    }

    /// Which tensors have one row, whatever the number of windows: operands are broadcast to it, parts that are joined are not.
    let isConstant: [Bool]

    private init(_ network: Network) { (self.network, isConstant) = (network, network.constantTensors) }

    /// - Parameter name: of the graph.
    /// - Throws: `.usage` naming every layer that has no operator in ONNX.
    package static func encode(_ network: Network, name: String) throws(Fault) -> [UInt8] {
        var export = ONNXExport(network)
        var refused = network.layers.indices.compactMap { index in reason(network, index).map { "layer \(index) (\($0))" } }
        if export.isConstant[network.layers.count] { refused.append("an output that is constant") }
        guard refused.isEmpty else {
            throw Fault(
                .usage, "no operators of ONNX are written for \(refused.joined(separator: ", "))",
                remedy: network.hasForest ? "Export it as c-header." : "Export it as tflite or c-header.")
        }
        export.write()
        return export.graph.model(name: name, metadata: ExportMetadata.entries(network))
    }

    private static func reason(_ network: Network, _ index: Int) -> String? {
        let layer = network.layers[index]
        switch layer.operation {
        case .forest: return "forest"
        case .lstm(let lstm) where lstm.cellClip > 0: return "lstm with a limit of its cell"
        case .averagePool(let window) where window.dilationHeight > 1 || window.dilationWidth > 1: return "average-pool with dilation"
        case .averagePool(let window), .maxPool(let window):
            let end = window.behind(network.tensor(layer.sources[0]), layer.output)
            return max(window.top, end.bottom) < window.height && max(window.left, end.right) < window.width
                ? nil : "\(layer.kind.rawValue) with as much padding as its window"
        default: return nil
        }
    }

    private mutating func write() {
        let input = graph.unused("input")
        let extents = network.inputScaling.hasCopies ? [network.columns] : network.input.extents
        graph.inputs.append(.init(name: input, shape: [nil] + extents))
        rows[0] = limited(scaled(input), network.input, network.input.type.range, "input")
        for index in network.layers.indices { append(index) }
        var result = shaped(row(network.layers.count), [network.last.count], from: network.last.extents, "flat")
        if network.output == .softmax { result = graph.append("Softmax", [result], [("axis", .integer(-1))], name: "softmax") }
        let name = network.output == .logits ? "logits" : "probabilities"
        // The output has a name of its own whatever the last operator is.
        graph.outputs.insert(.init(name: graph.append("Identity", [result], name: name), shape: [nil, network.last.count]), at: 0)
    }

    private mutating func scaled(_ input: String) -> String {
        guard let steps = network.inputScaling.steps else { return input }
        var result = input, factors = steps.factors
        if let copies = steps.copies {
            let places = graph.constant(copies.from.map { max(Int($0), 0) }, name: "input_columns")
            result = graph.append("Gather", [result, places], [("axis", .integer(1))], name: "input_copies")
            for (index, column) in copies.from.enumerated() where column < 0 { factors[index] = 0 }
        }
        if steps.hasOffsets {
            let offsets = graph.constant(steps.offsets, network.input.extents, name: "input_offsets")
            result = graph.append("Sub", [result, offsets], name: "input_moved")
        }
        let multipliers = graph.constant(factors, network.input.extents, name: "input_factors")
        return graph.append("Mul", [result, multipliers], name: "input_multiplied")
    }

    func tensor(_ index: Int) -> Tensor { network.tensor(index) }

    /// A tensor with its channels last.
    mutating func row(_ index: Int) -> String {
        if let name = rows[index] { return name }
        let found = columns.first { $0.key.tensor == index }
        guard let (key, name) = found else { return rows[0] ?? "" }
        let axes = key.axes, extents = tensor(index).extents, moved = [0] + Array(2..<2 + axes) + [1]
        let turned = graph.append("Transpose", [name], [("perm", .integers(moved))], name: "\(name)_rows")
        rows[index] = shaped(turned, extents, from: axes + 1 == extents.count ? extents : [], name)
        return rows[index] ?? turned
    }

    /// A tensor with its channels before so many axes of positions.
    mutating func column(_ index: Int, axes: Int) -> String {
        let key = Columns(tensor: index, axes: axes)
        if let name = columns[key] { return name }
        let tensor = tensor(index),
            last = axes == 1 ? [tensor.positions, tensor.channels] : [tensor.height, tensor.width, tensor.channels]
        let name = row(index), whole = shaped(name, last, from: tensor.extents, name)
        let moved = [0, axes + 1] + Array(1...axes)
        columns[key] = graph.append("Transpose", [whole], [("perm", .integers(moved))], name: "\(name)_columns")
        return columns[key] ?? whole
    }

    mutating func set(_ index: Int, _ name: String) { rows[index] = name }
    mutating func set(_ index: Int, column name: String, axes: Int) { columns[Columns(tensor: index, axes: axes)] = name }

    /// The same numbers in another shape behind the windows' axis.
    mutating func shaped(_ name: String, _ shape: [Int], from old: [Int], _ label: String) -> String {
        guard shape != old else { return name }
        let target = graph.constant([-1] + shape, name: "\(label)_shape")
        return graph.append("Reshape", [name, target], name: "\(label)_reshaped")
    }
}

extension Network {
    /// Of each tensor, whether it holds the same numbers whatever the input is; 0 is the input.
    fileprivate var constantTensors: [Bool] {
        layers.reduce(into: [false]) { constant, layer in
            let known = constant
            constant.append(layer.kind == .constant || layer.sources.allSatisfy { known[$0] })
        }
    }
}

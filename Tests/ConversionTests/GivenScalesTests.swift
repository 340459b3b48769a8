import Support
import Testing

@testable import Conversion

/// Which files are run at their own scales.
@Suite struct GivenScalesTests {
    private struct Network {
        var graph = ONNXGraph()

        init(shape: [Int]) { graph.inputs.append(.init(name: "x", shape: shape)) }

        /// To a scale and back.
        mutating func stepped(_ value: String, _ scale: Float, _ name: String) -> String {
            let step = graph.constant([scale], [], name: "\(name)_scale")
            let integers = graph.append("QuantizeLinear", [value, step], name: "\(name)_integers")
            return graph.append("DequantizeLinear", [integers, step], name: name)
        }

        mutating func isQuantised(_ output: String, shape: [Int]) throws -> Bool {
            try imported(output, shape: shape).isQuantised
        }

        mutating func imported(_ output: String, shape: [Int]) throws -> FloatGraph {
            graph.outputs = [.init(name: output, shape: shape)]
            return try ONNXImport.network(graph.model(name: "x", metadata: []), path: "x.onnx", input: .features, steps: 32).graph
        }
    }

    /// Numbers that were rounded to one scale are not those that another reader of the input is given.
    @Test(arguments: [(0.03, true), (3, false), (nil, false)] as [(Float?, Bool)])
    func theInputHasOneScale(_ other: Float?, _ isQuantised: Bool) throws {
        var network = Network(shape: [1, 4])
        let left = network.stepped("x", 0.03, "left"), right = other.map { network.stepped("x", $0, "right") } ?? "x"
        let sum = network.graph.append("Add", [left, right], name: "sum"), result = network.stepped(sum, 0.06, "result")
        #expect(try network.isQuantised(result, shape: [1, 4]) == isQuantised)
    }

    /// What reads the input before it is quantised may move its numbers, and nothing else.
    @Test(arguments: [("Transpose", true), ("Relu", false)]) func theInputIsMovedAlone(_ kind: String, _ isQuantised: Bool) throws {
        var network = Network(shape: [1, 2, 4])
        let moved = network.graph.append(kind, ["x"], kind == "Relu" ? [] : [("perm", .integers([0, 2, 1]))], name: "moved")
        let whole = network.stepped(moved, 0.03, "whole")
        let flat = network.graph.append(
            "Flatten", [network.stepped(network.graph.append("Sigmoid", [whole], name: "curve"), 0.004, "stepped")], name: "flat")
        #expect(try network.isQuantised(flat, shape: [1, 8]) == isQuantised)
    }

    /// A soft-max that something reads as it is has no steps.
    @Test(arguments: [true, false]) func softmaxHasOneScale(_ isReadAsItIs: Bool) throws {
        var network = Network(shape: [1, 4, 4])
        let shares = network.graph.append("Softmax", [network.stepped("x", 0.03, "input")], [("axis", .integer(-1))], name: "shares")
        let moved = network.graph.append("Transpose", [shares], [("perm", .integers([0, 2, 1]))], name: "moved")
        let steps = network.stepped(moved, 0.01, "steps"), other = isReadAsItIs ? shares : steps
        let sum = network.stepped(network.graph.append("Add", [steps, other], name: "sum"), 0.02, "result")
        #expect(try network.isQuantised(network.graph.append("Flatten", [sum], name: "flat"), shape: [1, 16]) == !isReadAsItIs)
    }

    /// What keeps a file from its own scales is named.
    @Test func theFirstObstacleIsNamed() throws {
        var network = Network(shape: [1, 4])
        let first = network.stepped("x", 0.03, "first")
        let product = network.graph.append("MatMul", [first, network.graph.constant([1, 0.3, 0.01, 2], [4, 1], name: "w")], name: "sum")
        let joined = network.graph.append("Add", [first, product], name: "joined")
        #expect(
            try network.imported(network.stepped(joined, 0.1, "end"), shape: [1, 4]).obstacleToScales
                == "operator 2 (MatMul sum) gives numbers for which the file has no scale")
        var whole = Network(shape: [1, 4])
        #expect(try whole.imported(whole.stepped(whole.stepped("x", 0.03, "first"), 0.1, "end"), shape: [1, 4]).obstacleToScales == nil)
    }
}

import Support
import TestHelpers
import Testing

@testable import Conversion

private func imported(_ bytes: [UInt8]) throws(Fault) -> ONNXImport.Imported {
    try ONNXImport.network(bytes, path: "x.onnx", input: .features, steps: 32)
}

/// What a refusal says, and what to do then.
@Suite struct ONNXRefusalTests {
    private func file(_ kind: String, shape: [Int?]) -> [UInt8] {
        var graph = ONNXGraph()
        graph.inputs.append(.init(name: "x", shape: shape))
        graph.outputs.append(.init(name: graph.append(kind, ["x"], name: "y"), shape: [1, 4]))
        return graph.model(name: "x", metadata: [])
    }

    /// A batch that stands in the file would be read as one long window with the classes of all.
    @Test(arguments: [1, 8]) func severalWindowsAtOnceAreRefused(_ batch: Int) throws {
        var graph = ONNXGraph()
        graph.inputs.append(.init(name: "x", shape: [batch, 4]))
        graph.outputs.append(.init(name: graph.append("Sigmoid", ["x"], name: "y"), shape: [batch, 4]))
        let bytes = graph.model(name: "x", metadata: [])
        guard batch > 1 else {
            _ = try imported(bytes)
            return
        }
        let fault = #expect(throws: Fault.self) { try imported(bytes) }
        #expect(fault?.message.contains("8 windows at once") == true && fault?.remedy?.contains("dynamic_axes") == true)
    }

    /// What was taken for an open axis does not fit what follows: the option that says another is named.
    @Test func openAxesAreNamed() throws {
        var graph = ONNXGraph()
        graph.inputs.append(.init(name: "x", shape: [1, nil, 3]))
        let flat = graph.append("Flatten", ["x"], name: "flat")
        let weights = graph.constant([Float](repeating: 1, count: 60), [30, 2], name: "w")
        graph.outputs.append(.init(name: graph.append("MatMul", [flat, weights], name: "y"), shape: [1, 2]))
        let bytes = graph.model(name: "x", metadata: [])
        let fault = #expect(throws: Fault.self) { try imported(bytes) }
        #expect(fault?.message.contains("MatMul") == true)
        #expect(fault?.remedy?.contains("[1, ?, 3], for which 32 was taken: say with --window") == true)
        #expect(throws: Never.self) { try ONNXImport.network(bytes, path: "x.onnx", input: .features, steps: 10) }
    }

    @Test(arguments: [0, -3, -1]) func whatIsNoExtentIsRefused(_ extent: Int) {
        // -1 is how some write what is open.
        guard extent != -1 else {
            #expect(throws: Never.self) { try imported(file("Relu", shape: [1, extent, 3])) }
            return
        }
        let fault = #expect(throws: Fault.self) { try imported(file("Relu", shape: [1, extent, 3])) }
        #expect(fault?.message.contains("has the shape [1, -1, 3]") == true)
    }

    @Test(arguments: [
        ("TopK", "amax"), ("RotaryEmbedding", "older opset"), ("OneHotEncoder", "numbers themselves"), ("Scan", "forest"),
        ("Mine", "before"),
    ])
    func whatToDoWithoutAnOperator(_ kind: String, _ remedy: String) {
        let fault = #expect(throws: Fault.self) { try imported(file(kind, shape: [1, 4])) }
        #expect(fault?.message == "x.onnx: it has operators that cannot be run: \(kind)" && fault?.remedy?.contains(remedy) == true)
    }

    @Test func anyOfItsTensorsCanBeTheOutput() throws {
        let fixtures = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/onnx"
        let bytes = try Files.read("\(fixtures)/chosen.onnx", limit: 1 << 20)
        let file = try ONNXFile(bytes, path: "x.onnx"), first = try #require(file.nodes.first { $0.kind == "Gemm" }?.outputs.first)
        func imported(_ output: String?) throws(Fault) -> FloatGraph {
            try ONNXImport.network(bytes, path: "x.onnx", input: .features, steps: 32, output: output).graph
        }
        #expect(try imported(nil).last.count == 6)
        #expect(try imported(first).last.count == 24)
        let fault = #expect(throws: Fault.self) { _ = try imported("elsewhere") }
        #expect(fault?.code == .usage)
        #expect(fault?.remedy?.contains(file.outputs[0]) == true)
    }

    // x times the tensors of the name w, by an operator of a domain.
    private func product(domain: String = "", _ tensors: [[UInt8]]) -> [UInt8] {
        var model = WireWriter()
        model.addMessage(7) { graph in
            graph.addMessage(1) { node in
                for name in ["x", "w"] { node.add(1, name) }
                node.add(2, "y")
                node.add(4, "MatMul")
                node.add(7, domain)
            }
            for tensor in tensors { graph.add(5, tensor) }
            for (field, name, width) in [(11, "x", 4), (12, "y", 2)] {
                graph.addMessage(field) { port in
                    port.add(1, name)
                    port.addMessage(2) { type in
                        type.addMessage(1) { tensor in
                            tensor.add(1, 1)
                            tensor.addMessage(2) { shape in for extent in [1, width] { shape.addMessage(1) { $0.add(1, extent) } } }
                        }
                    }
                }
            }
        }
        model.addMessage(8) { $0.add(2, 17) }
        return model.bytes
    }

    // Four by two numbers, in the message or in a file beside it.
    private func tensor(in file: String? = nil) -> [UInt8] {
        var tensor = WireWriter()
        for extent in [4, 2] { tensor.add(1, extent) }
        tensor.add(2, 1)
        tensor.add(8, "w")
        if let file {
            tensor.addMessage(13) { entry in
                entry.add(1, "location")
                entry.add(2, file)
            }
            tensor.add(14, 1)
        } else {
            tensor.add(9, [UInt8](repeating: 1, count: 32))
        }
        return tensor.bytes
    }

    /// Another domain's operator of the same name computes something else.
    @Test(
        arguments: [
            ("", nil), ("ai.onnx", nil), ("com.microsoft", nil), ("mine", "mine.MatMul"), ("pkg.torch\u{1B}", #"pkg.torch\u{1b}.MatMul"#),
        ] as [(String, String?)])
    func domainsAreTold(_ domain: String, _ unknown: String?) throws {
        let bytes = product(domain: domain, [tensor()])
        guard let unknown else {
            _ = try imported(bytes)
            return
        }
        let fault = #expect(throws: Fault.self) { try imported(bytes) }
        #expect(fault?.message == "x.onnx: it has operators that cannot be run: \(unknown)", "\(fault?.message ?? "")")
        #expect(fault?.remedy?.contains("inline_local_functions") == true)
    }

    @Test func aTensorThatIsThereTwiceIsRefused() {
        let fault = #expect(throws: Fault.self) { try imported(product([tensor(), tensor()])) }
        #expect(fault?.message == "x.onnx holds the tensor w twice")
    }

    @Test func filesWithTensorsAreNamed() throws {
        let directory = temporaryDirectory()
        let path = "\(directory)/x.onnx"
        try Files.write(product([tensor(in: "w.bin")]), to: path)
        #expect(try ONNXImport.dataFiles(of: path) == ["\(directory)/w.bin"])
        try Files.write([UInt8](repeating: 1, count: 32), to: "\(directory)/w.bin")
        #expect(try ONNXImport.network(path, input: .features, steps: 32).graph.last.count == 2)
        try Files.write(product([tensor()]), to: path)
        #expect(try ONNXImport.dataFiles(of: path).isEmpty)
    }
}

internal import Support

/// An ONNX graph in the making: operators in the order in which they run, and constants. The numbers of fields are those of onnx.proto.
struct ONNXGraph {
    enum Attribute {
        case integer(Int)
        case integers([Int])
        case text(String)
        case float(Float)
    }

    enum Element: Int {
        case float32 = 1, int64 = 7
    }

    /// An input or output of floats; nil: a size that is left open.
    struct Port {
        var name: String
        var shape: [Int?]
    }

    private var nodes: [[UInt8]] = []
    private var constants: [[UInt8]] = []
    private var taken: Set<String> = []
    var inputs: [Port] = []
    var outputs: [Port] = []

    /// A name that nothing has yet.
    mutating func unused(_ wanted: String) -> String {
        let name = taken.contains(wanted) ? (2...).lazy.map { "\(wanted)_\($0)" }.first { !taken.contains($0) } ?? wanted : wanted
        taken.insert(name)
        return name
    }

    /// Appends an operator.
    ///
    /// - Returns: the name of its first output.
    mutating func append(
        _ kind: String, _ inputs: [String], _ attributes: [(String, Attribute)] = [], name: String, outputs more: [String] = []
    ) -> String {
        let output = unused(name)
        var node = WireWriter()
        for input in inputs { node.add(1, input) }
        for name in [output] + more { node.add(2, name) }
        node.add(3, output)
        node.add(4, kind)
        for (name, value) in attributes {
            node.addMessage(5) { attribute in
                attribute.add(1, name)
                switch value {
                case .integer(let number):
                    attribute.add(3, number)
                    attribute.add(20, 2)
                case .text(let text):
                    attribute.add(4, text)
                    attribute.add(20, 3)
                case .float(let number):
                    attribute.add(2, number)
                    attribute.add(20, 1)
                case .integers(let numbers):
                    for number in numbers { attribute.add(8, number) }
                    attribute.add(20, 7)
                }
            }
        }
        nodes.append(node.bytes)
        return output
    }

    mutating func constant(_ values: [Float], _ shape: [Int], name: String) -> String {
        constant(.float32, values.map(\.bitPattern), shape, name)
    }

    mutating func constant(_ values: [Int], name: String) -> String {
        constant(.int64, values.map { Int64($0) }, [values.count], name)
    }

    mutating func constant<Number: FixedWidthInteger>(_ element: Element, _ values: [Number], _ shape: [Int], _ name: String) -> String {
        let name = unused(name)
        var tensor = WireWriter()
        for extent in shape { tensor.add(1, extent) }
        tensor.add(2, element.rawValue)
        tensor.add(8, name)
        tensor.add(9, values.flatMap(\.littleEndianBytes))
        constants.append(tensor.bytes)
        return name
    }

    /// The whole model.
    func model(name: String, metadata: [(String, String)]) -> [UInt8] {
        var model = WireWriter()
        model.add(1, 8) // the file format of opset 17's time
        model.add(2, "gaitway")
        model.addMessage(7) { graph in
            for node in nodes { graph.add(1, node) }
            graph.add(2, name)
            for constant in constants { graph.add(5, constant) }
            for port in inputs { graph.addMessage(11) { Self.write(port, to: &$0) } }
            for port in outputs { graph.addMessage(12) { Self.write(port, to: &$0) } }
        }
        model.addMessage(8) { set in
            set.add(1, "")
            set.add(2, 17)
        }
        for (key, value) in metadata {
            model.addMessage(14) { entry in
                entry.add(1, key)
                entry.add(2, value)
            }
        }
        return model.bytes
    }

    private static func write(_ port: Port, to message: inout WireWriter) {
        message.add(1, port.name)
        message.addMessage(2) { type in
            type.addMessage(1) { tensor in
                tensor.add(1, Element.float32.rawValue)
                tensor.addMessage(2) { shape in
                    for extent in port.shape {
                        shape.addMessage(1) { axis in
                            if let extent { axis.add(1, extent) } else { axis.add(2, "windows") }
                        }
                    }
                }
            }
        }
    }
}

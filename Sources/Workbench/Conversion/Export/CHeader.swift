package import NeuralNetwork
internal import Support

/// A network as a C header: the `gw_network_spec` that CNetwork runs, with all that it points to, in constants.
package enum CHeader {
    /// - Parameter name: of the network; what is not a letter or digit becomes "_".
    package static func text(_ network: Network, name: String) -> String {
        let name = identifier(name)
        var parts = ["#include \"cnetwork.h\""] + lines(network, name)
        if let wearing = network.wearing { parts += lines(wearing.gait, name + "_gait") + lines(wearing.placement, name + "_placement") }
        if let first = network.first {
            parts += lines(first.network, name + "_first") + ["enum { \(name)_first_sure = \(first.sure) };"]
        }
        return parts.joined(separator: "\n") + "\n"
    }

    private static func lines(_ network: Network, _ name: String) -> [String] {
        var writer = Writer(name: name)
        let layers = network.layers.enumerated().map { writer.layer($0.element, $0.offset) }
        let input = network.input
        writer.lines += [
            "static const char *const \(name)_labels[] = {\(network.labels.map(quoted).joined(separator: ", "))};",
            "static const gw_layer \(name)_layers[] = {", layers.joined(separator: "\n"), "};",
            "// Window of \(network.window) samples at 50 Hz, every \(network.hop); inputs are \(inputs(network.inputKind)).",
            "static const gw_network_spec \(name) = {",
            "    .input = \(Writer.tensor(input)), .layer_count = \(network.layers.count), .layers = \(name)_layers,",
            "    .input_multiplier = \(Writer.factor(network.inputMultiplier)), .output = \(outputName(network.output)),",
            "    .output_scale = \(Writer.factor(network.outputMultiplier)), .forgets = \(network.state == .fresh)};",
        ]
        return writer.lines
    }

    private static func inputs(_ kind: NetworkInput) -> String {
        switch kind {
        case .raw: "Q3.12 g, x, y, z of each sample"
        case .features17: "GW_INPUT_FEATURES"
        case .rawAndFeatures17: "GW_INPUT_BOTH"
        case .features80: "GW_INPUT_RICH"
        case .shifted: "GW_INPUT_SHIFTED"
        case .worn: "GW_INPUT_WORN"
        case .features: "somebody's features"
        }
    }

    private static func identifier(_ text: String) -> String {
        let safe = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return safe.first?.isLetter == true ? safe : "network_" + safe
    }

    private static func quoted(_ text: String) -> String {
        // Three octal digits end by themselves, whatever follows.
        let bytes = text.utf8.map { byte -> String in
            let isPlain = (32..<127).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "?")
            let octal = String(byte, radix: 8)
            return isPlain ? String(UnicodeScalar(byte)) : "\\" + String(repeating: "0", count: 3 - octal.count) + octal
        }
        return "\"\(bytes.joined())\""
    }

    private static func outputName(_ output: NetworkOutput) -> String {
        switch output {
        case .softmax: "GW_SOFTMAX"
        case .independent: "GW_INDEPENDENT"
        case .logits: "GW_LOGITS"
        }
    }

    private struct Writer {
        let name: String
        var lines: [String] = []

        static func factor(_ multiplier: Multiplier) -> String { "{\(multiplier.multiplier), \(multiplier.shift)}" }

        static func tensor(_ tensor: Tensor) -> String {
            """
            {\(tensor.type == .int8 ? "GW_INT8" : "GW_INT16"), \(tensor.height), \(tensor.width), \(tensor.channels), \
            \(tensor.quantisation.zeroPoint)}
            """
        }

        private static func window(_ s: KernelShape) -> String {
            "{\(s.height), \(s.width), \(s.strideHeight), \(s.strideWidth), \(s.dilationHeight), \(s.dilationWidth), \(s.top), \(s.left)}"
        }

        private mutating func array(_ type: String, _ name: String, _ values: [String]) -> String {
            lines.append("static const \(type) \(name)[] = {")
            for start in stride(from: 0, to: values.count, by: 24) {
                lines.append("    " + values[start..<min(start + 24, values.count)].joined(separator: ", ") + ",")
            }
            lines.append("};")
            return name
        }

        private mutating func weights(_ weights: Weights, _ name: String) -> String {
            let values = array(weights.type == .int8 ? "int8_t" : "int16_t", name, weights.values.map { "\($0)" })
            let bias = array("int64_t", name + "_bias", weights.bias.map { "\($0)" })
            let factors = array("gw_multiplier", name + "_factors", weights.multipliers.map(Self.factor))
            let rounding = ["GW_ROUND_ONCE", "GW_ROUND_TWICE", "GW_ROUND_REDUCED"][
                weights.rounding == .once ? 0 : weights.rounding == .twice ? 1 : 2]
            return
                """
                {\(weights.type == .int8 ? "GW_INT8" : "GW_INT16"), \(weights.inputs), \(weights.outputs), \(values), \(bias), \
                \(factors), \(rounding)}
                """
        }

        private mutating func trees(_ forest: Forest, _ layer: Layer, _ own: String) -> String {
            let nodes = forest.features.indices.map { "{\(forest.features[$0]), \(forest.thresholds[$0]), \(forest.children[$0])}" }
            return """
                .forest = {\(forest.roots.count), \(nodes.count), \(forest.values.count / layer.output.count), \
                \(array("int32_t", own + "_roots", forest.roots.map { "\($0)" })), \(array("gw_tree_node", own + "_nodes", nodes)), \
                \(array("int16_t", own + "_values", forest.values.map { "\($0)" }))}
                """
        }

        private mutating func table(_ values: [Int16], _ layer: Layer, _ own: String) -> String {
            array(layer.output.type == .int8 ? "int8_t" : "int16_t", own + "_table", values.map { "\($0)" })
        }

        mutating func layer(_ layer: Layer, _ index: Int) -> String {
            let own = "\(name)_\(index)"
            var fields = [
                ".source_count = \(layer.sources.count)", ".sources = {\(layer.sources.map { "\($0)" }.joined(separator: ", "))}",
                ".output = \(Self.tensor(layer.output))",
                ".low = \(layer.limits.lowerBound)", ".high = \(layer.limits.upperBound)",
            ]
            for (field, part) in zip([("weights", own), ("recurrent", own + "_recurrent")], layer.weights) {
                fields.append(".\(field.0) = \(weights(part, field.1))")
            }
            let operation: String
            switch layer.operation {
            case .dense: operation = "GW_DENSE"
            case .convolution(_, let sliding): (operation, fields) = ("GW_CONVOLUTION", fields + [".window = \(Self.window(sliding))"])
            case .depthwise(_, let sliding): (operation, fields) = ("GW_DEPTHWISE", fields + [".window = \(Self.window(sliding))"])
            case .lstm(let lstm):
                (operation, fields) = (
                    "GW_LSTM",
                    fields + [
                        ".scales = {\(Self.factor(lstm.multiplier))}", ".cell_fraction = \(lstm.cellFraction)",
                        ".cell_clip = \(lstm.cellClip)",
                    ]
                )
            case .gru(let gru):
                (operation, fields) = (
                    "GW_GRU", fields + [".scales = {\(Self.factor(gru.multiplier))}"] + (gru.resetAfter ? [".reset_after = true"] : [])
                )
            case .averagePool(let sliding): (operation, fields) = ("GW_AVERAGE_POOL", fields + [".window = \(Self.window(sliding))"])
            case .maxPool(let sliding): (operation, fields) = ("GW_MAX_POOL", fields + [".window = \(Self.window(sliding))"])
            case .mean(let factor): (operation, fields) = ("GW_MEAN", fields + [".scales = {\(Self.factor(factor))}"])
            case .add(let left, let right, let sum):
                (operation, fields) = ("GW_ADD", fields + [".scales = {\([left, right, sum].map(Self.factor).joined(separator: ", "))}"])
            case .concatenation(let axis): (operation, fields) = ("GW_CONCATENATE", fields + [".axis = \(axis)"])
            case .slice(let first): (operation, fields) = ("GW_SLICE", fields + [".first = \(first)"])
            case .lookup(let table):
                (operation, fields) = ("GW_LOOKUP", fields + [".table = \(self.table(table, layer, own))"])
            case .sigmoid(let factor, let shift):
                (operation, fields) = ("GW_SIGMOID", fields + [".factor = \(factor)", ".shift = \(shift)"])
            case .tanh(let factor, let shift): (operation, fields) = ("GW_TANH", fields + [".factor = \(factor)", ".shift = \(shift)"])
            case .rescale(let factor): (operation, fields) = ("GW_RESCALE", fields + [".scales = {\(Self.factor(factor))}"])
            case .gather(let places):
                (operation, fields) = ("GW_GATHER", fields + [".table = \(array("int32_t", own + "_places", places.map { "\($0)" }))"])
            case .constant(let values): (operation, fields) = ("GW_CONSTANT", fields + [".table = \(table(values, layer, own))"])
            case .subtract(let left, let right, let sum):
                (operation, fields) = (
                    "GW_SUBTRACT", fields + [".scales = {\([left, right, sum].map(Self.factor).joined(separator: ", "))}"]
                )
            case .multiply(let factor): (operation, fields) = ("GW_MULTIPLY", fields + [".scales = {\(Self.factor(factor))}"])
            case .divide(let factor): (operation, fields) = ("GW_DIVIDE", fields + [".scales = {\(Self.factor(factor))}"])
            case .maximum: operation = "GW_MAXIMUM"
            case .minimum: operation = "GW_MINIMUM"
            case .matrixProduct(let factor): (operation, fields) = ("GW_MATRIX_PRODUCT", fields + [".scales = {\(Self.factor(factor))}"])
            case .forest(let forest):
                (operation, fields) = ("GW_FOREST", fields + [".scales = {\(Self.factor(forest.multiplier))}", trees(forest, layer, own)])
            case .softmax(let factor): (operation, fields) = ("GW_SOFTMAX_ROWS", fields + [".scales = {\(Self.factor(factor))}"])
            }
            return "    {.operation = \(operation), \(fields.joined(separator: ", "))},"
        }
    }
}

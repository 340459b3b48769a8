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
        if let steps = network.inputScaling.steps {
            _ = writer.array("int8_t", name + "_exponents", steps.exponents.map { "\($0)" })
            if steps.hasOffsets { _ = writer.array("float", name + "_offsets", steps.offsets.map { Self.float($0) }) }
        }
        if let copies = network.inputScaling.steps?.copies {
            _ = writer.array("int16_t", name + "_columns", copies.from.map { "\($0)" })
        }
        if let thresholds = network.inputScaling.thresholds, !thresholds.values.isEmpty {
            _ = writer.array("float", name + "_thresholds", thresholds.values.map { Self.float($0) })
            _ = writer.array("int32_t", name + "_starts", thresholds.starts.map { "\($0)" })
        }
        writer.lines += [
            "static const char *const \(name)_labels[] = {\(network.labels.map(quoted).joined(separator: ", "))};",
            "static const gw_layer \(name)_layers[] = {", layers.joined(separator: "\n"), "};",
            network.inputKind == .features
                ? features(input.quantisation, network.inputScaling, name)
                : "// Window of \(network.window) samples at 50 Hz, every \(network.hop); inputs are \(inputs(network.inputKind)).",
            "static const gw_network_spec \(name) = {",
            "    .input = \(Writer.tensor(input)), .layer_count = \(network.layers.count), .layers = \(name)_layers,",
            "    .input_multiplier = \(Writer.factor(network.inputMultiplier)), .output = \(outputName(network.output)),",
            "    .output_scale = \(Writer.factor(network.outputMultiplier)), .is_stateless = \(network.state == .fresh),",
            "    .advance = \(network.advance)};",
        ]
        return writer.lines
    }

    // How an input's integer comes from its number.
    private static func features(_ quantisation: Quantisation, _ scaling: InputScaling, _ name: String) -> String {
        var numbers: [String] = []
        if let steps = scaling.steps {
            let offset = steps.hasOffsets ? " less \(name)_offsets[i]," : ""
            let number = steps.copies == nil ? "its number" : "number \(name)_columns[i] of a row (-1: 0 alone)"
            numbers.append("\(number)\(offset) times two to the power of \(name)_exponents[i]")
        }
        if scaling.thresholds != nil {
            numbers.append("how many of \(name)_thresholds from \(name)_starts[i] to before \(name)_starts[i + 1] are less than its number")
        }
        let number = numbers.isEmpty ? "its number" : numbers.joined(separator: ", and after all of these ")
        return "// Inputs are somebody's features: integer i is \(number), over \(quantisation.scale), plus \(quantisation.zeroPoint)."
    }

    // 5 alone is no float of C: 5.0 is, as Swift writes it.
    private static func float(_ value: Float) -> String { "\(value)f" }

    private static func inputs(_ kind: NetworkInput) -> String {
        switch kind {
        case .raw: "Q3.12 g, x, y, z of each sample"
        case .features17: "GW_INPUT_FEATURES"
        case .rawAndFeatures17: "GW_INPUT_WINDOW_AND_FEATURES"
        case .features80: "GW_INPUT_RICH"
        case .shifted: "GW_INPUT_SHIFTED"
        case .worn: "GW_INPUT_WORN"
        case .features: "somebody's features"
        }
    }

    private static func identifier(_ text: String) -> String {
        let safe = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return safe.first?.isLetter != true || keywords.contains(safe) || safe.hasPrefix("gw_") ? "network_" + safe : safe
    }

    private static let keywords = Set(
        """
        alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float for goto if \
        inline int long main nullptr register restrict return short signed sizeof static struct switch true typedef typeof union unsigned \
        void volatile while
        """.split(separator: " ").map(String.init))

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

        mutating func array(_ type: String, _ name: String, _ values: [String]) -> String {
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

        private mutating func trees(_ forest: Forest, classes: Int, _ name: String) -> String {
            let nodes = forest.features.indices.map { "{\(forest.features[$0]), \(forest.thresholds[$0]), \(forest.children[$0])}" }
            return """
                {\(forest.roots.count), \(nodes.count), \(forest.values.count / classes), \
                \(array("int32_t", name + "_roots", forest.roots.map { "\($0)" })), \(array("gw_tree_node", name + "_nodes", nodes)), \
                \(array("int16_t", name + "_values", forest.values.map { "\($0)" }))}
                """
        }

        private mutating func vectors(_ support: SupportVectors, _ name: String) -> String {
            """
            {\(support.inputs), \(support.count), \(support.outputs), \(support.degree), \(support.fraction), \
            \(array("int32_t", name + "_vectors", support.vectors.map { "\($0)" })), \
            \(array("int64_t", name + "_added", support.added.map { "\($0)" })), \(Self.factor(support.argument)), \
            \(array("int32_t", name + "_coefficients", support.coefficients.map { "\($0)" })), \
            \(array("int64_t", name + "_bias", support.bias.map { "\($0)" })), \
            \(array("gw_multiplier", name + "_factors", support.multipliers.map(Self.factor)))}
            """
        }

        mutating func layer(_ layer: Layer, _ index: Int) -> String {
            let name = "\(name)_\(index)"
            var fields = [
                ".source_count = \(layer.sources.count)", ".sources = {\(layer.sources.map { "\($0)" }.joined(separator: ", "))}",
                ".output = \(Self.tensor(layer.output))",
                ".low = \(layer.limits.lowerBound)", ".high = \(layer.limits.upperBound)",
            ]
            let own = layer.operation.fields
            for (field, part) in zip([("weights", name), ("recurrent", name + "_recurrent")], own.weights) {
                fields.append(".\(field.0) = \(weights(part, field.1))")
            }
            func add(_ field: String, _ value: String?) { if let value { fields.append(".\(field) = \(value)") } }
            add("window", own.window.map(Self.window))
            add("scales", own.factors.isEmpty ? nil : "{\(own.factors.map(Self.factor).joined(separator: ", "))}")
            add("cell_fraction", own.cellFraction.map { "\($0)" })
            add("cell_clip", own.cellClip.map { "\($0)" })
            add("reset_after", own.resetAfter.map { "\($0)" })
            add("axis", own.axis.map { "\($0)" })
            add("first", own.first.map { "\($0)" })
            add("table", own.table.map { array(layer.output.type == .int8 ? "int8_t" : "int16_t", name + "_table", $0.map { "\($0)" }) })
            add("table", own.places.map { array("int32_t", name + "_places", $0.map { "\($0)" }) })
            add("factor", own.factor.map { "\($0)" })
            add("shift", own.shift.map { "\($0)" })
            add("forest", own.forest.map { trees($0, classes: layer.output.count, name) })
            add("support", own.support.map { vectors($0, name) })
            return "    {.operation = \(layer.kind.symbol), \(fields.joined(separator: ", "))},"
        }
    }
}

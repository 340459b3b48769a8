import ArgumentParser
import NeuralNetwork
import Support

extension Model {
    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect", abstract: "Show a model's layers, sizes, memory, labels, window and version.")

        @Argument(help: ArgumentHelp("The model.", valueName: "file"), completion: .file())
        var file: String
        @OptionGroup var format: OutputOptions

        func run() throws {
            let network = try NetworkFile.load(file), memory = try CompiledNetwork(network).memory
            try Console.print(format.json ? json(network, memory).text : text(network, memory))
        }

        private func json(_ network: Network, _ memory: NetworkMemory) -> JSON {
            .object([
                ("labels", .array(network.labels.map(JSON.string))), ("input", .string(network.inputKind.rawValue)),
                ("input_exponents", .array((network.inputScaling.steps?.exponents ?? []).map(JSON.integer))),
                ("input_offsets", .array((network.inputScaling.steps?.offsets ?? []).map { .number("\($0)") })),
                ("input_columns", .array((network.inputScaling.steps?.copies?.from ?? []).map { .integer(Int($0)) })),
                ("input_thresholds", .integer(network.inputScaling.thresholds?.values.count ?? 0)),
                ("window", .integer(network.window)), ("hop", .integer(network.hop)),
                ("rate", 50), ("bits", .integer(network.bits)), ("version", .integer(network.version)),
                ("expires", network.expires.map(JSON.integer) ?? .null), ("output", .string(network.output.rawValue)),
                ("state", .string(network.state.rawValue)),
                (
                    "first",
                    network.first.map { first in
                        .object([
                            ("input", .string(first.network.inputKind.rawValue)), ("bytes", .integer(first.network.bytes)),
                            ("sure", .number(Decimals.text(Double(first.sure) * 0x1p-15, places: 4))),
                        ])
                    } ?? .null
                ),
                ("bytes", .integer(network.bytes)), ("operations", .integer(network.operations)),
                (
                    "memory",
                    .object([
                        ("weights", .integer(memory.weights)), ("state", .integer(memory.state)), ("scratch", .integer(memory.scratch)),
                    ])
                ),
                (
                    "layers",
                    .array(
                        rows(network).map { row in
                            .object([
                                ("kind", .string(row.kind.rawValue)), ("sources", .array(row.sources.map(JSON.integer))),
                                ("inputs", .array(row.input.extents.map(JSON.integer))),
                                ("outputs", .array(row.output.extents.map(JSON.integer))),
                                ("activation", .string(row.activation)), ("type", .string(row.type)), ("bits", .integer(row.bits)),
                                ("bytes", .integer(row.bytes)),
                                ("operations", .integer(row.operations)),
                            ])
                        })
                ),
            ])
        }

        private struct Row {
            var kind: LayerKind, sources: [Int], input: Tensor, output: Tensor, activation: String, type: String, bits: Int, bytes: Int,
                operations: Int
        }

        private func rows(_ network: Network) -> [Row] {
            let bytes = network.layerBytes, operations = network.layerOperations
            return network.layers.enumerated().map { index, layer in
                Row(
                    kind: layer.kind, sources: layer.sources, input: network.tensor(layer.sources.first ?? 0), output: layer.output,
                    activation: layer.activation,
                    type: layer.output.type.rawValue, bits: layer.hasWeights ? network.bits : 0, bytes: bytes[index],
                    operations: operations[index])
            }
        }

        private func scaling(_ scaling: InputScaling) -> String {
            let steps = scaling.steps.map { ", each with a step\($0.hasOffsets ? " and an offset" : "") of its own" } ?? ""
            if let copies = scaling.steps?.copies { return ", as \(copies.from.count) copies\(steps)" }
            guard let thresholds = scaling.thresholds else { return steps }
            return "\(steps)\(steps.isEmpty ? "," : " and") as ranks among \(thresholds.values.count) thresholds"
        }

        private func text(_ network: Network, _ memory: NetworkMemory) -> String {
            let window = Decimals.text(network.window, over: 50, places: 2), hop = Decimals.text(network.hop, over: 50, places: 2)
            var lines = [
                "version  \(network.version)" + (network.expires.map { ", expires \($0) s after 1970" } ?? ""),
                "labels   \(network.labels.joined(separator: ", "))",
                network.inputKind == .features
                    ? "input    \(network.columns) features\(scaling(network.inputScaling))"
                    : "window   \(network.window) samples at 50 Hz (\(window) s), every \(network.hop) (\(hop) s)",
                "weights  \(network.bits) bits; \(network.input.type.rawValue) between the layers",
            ]
            if network.isSequential {
                lines.append(
                    "state    \(network.state == .kept ? "goes on from window to window, until a gap" : "begins anew with every window")")
            }
            if let first = network.first {
                lines.append(
                    """
                    first    a network of \(first.network.bytes) bytes on \(first.network.inputKind.rawValue), which decides from \
                    \(Units.percent(Double(first.sure) * 0x1p-15)) on
                    """)
            }
            lines.append("memory   \(memory.weights) bytes of weights and tables, \(memory.state) of state, \(memory.scratch) of scratch")
            return (lines + [""] + table(network)).joined(separator: "\n")
        }

        private func table(_ network: Network) -> [String] {
            var cells = [["layer", "kind", "from", "to", "activation", "bits", "bytes", "operations"]]
            for (index, row) in rows(network).enumerated() {
                cells.append([
                    "\(index)", row.kind.rawValue, row.input.shape, row.output.shape, row.activation, row.bits > 0 ? "\(row.bits)" : "",
                    "\(row.bytes)", "\(row.operations)",
                ])
            }
            cells.append(["all", "", "", "", "", "", "\(network.bytes)", "\(network.operations)"])
            return cells.columns
        }
    }
}

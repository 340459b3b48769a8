import ArgumentParser
import Models
import Support

struct Model: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Look at models, bring them from elsewhere, run them on numbers.", subcommands: [Inspect.self, Import.self, Predict.self])

    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a model's layers, sizes, labels, window and version.")

        @Argument(help: ArgumentHelp("The model.", valueName: "file"))
        var file: String
        @OptionGroup var format: OutputOptions

        func run() throws {
            let network = try NetworkFile.load(file)
            try Console.print(format.json ? json(network).text : text(network))
        }

        private func json(_ network: Network) -> JSON {
            .object([
                ("labels", .array(network.labels.map(JSON.string))), ("input", .string(network.inputKind.rawValue)), ("window", .integer(network.window)), ("hop", .integer(network.hop)),
                ("rate", 50), ("bits", .integer(network.bits)), ("version", .integer(network.version)),
                ("expires", network.expires.map(JSON.integer) ?? .null), ("bytes", .integer(network.bytes)),
                ("operations", .integer(network.operations)),
                ("layers", .array(network.layers.map { layer in
                    .object([
                        ("kind", "dense"), ("inputs", .integer(layer.inputs)), ("outputs", .integer(layer.outputs)),
                        ("activation", .string(layer.activation.rawValue)), ("bits", .integer(network.bits)), ("bytes", .integer(layer.bytes)),
                        ("operations", .integer(layer.operations)),
                    ])
                })),
            ])
        }

        private func text(_ network: Network) -> String {
            var lines = [
                "version  \(network.version)" + (network.expires.map { ", expires \($0) s after 1970" } ?? ""),
                "labels   \(network.labels.joined(separator: ", "))",
                network.inputKind == .features ? "input    \(network.inputs) features" : "window   \(network.window) samples at 50 Hz (\(Decimals.text(network.window, over: 50, places: 2)) s), every \(network.hop) (\(Decimals.text(network.hop, over: 50, places: 2)) s)",
                "weights  \(network.bits) bits",
                "", "layer  kind   shape        activation  bytes      operations",
            ]
            for (index, layer) in network.layers.enumerated() {
                lines.append(
                    "\("\(index)".padded(5))  dense  \("\(layer.inputs) x \(layer.outputs)".padded(11))  \(layer.activation.rawValue.padded(10))  \("\(layer.bytes)".padded(9))  \(layer.operations)")
            }
            lines.append("\("all".padded(38))\("\(network.bytes)".padded(9))  \(network.operations)")
            return lines.joined(separator: "\n")
        }
    }
}

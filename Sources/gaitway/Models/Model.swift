import ArgumentParser

struct Model: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at models, bring them from elsewhere, run them on numbers.",
        subcommands: [Inspect.self, Import.self, Quantize.self, Export.self, Predict.self, Sign.self, Verify.self])
}

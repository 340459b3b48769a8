import ArgumentParser

struct Model: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Look at models, bring them from elsewhere, run them on numbers, change the one that runs.",
        subcommands: [
            Inspect.self, Import.self, Quantize.self, Export.self, Join.self, Predict.self, Sign.self, Verify.self, Install.self, List.self,
            Accept.self, Rollback.self, Pin.self,
        ])
}

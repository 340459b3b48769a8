import ArgumentParser
import NeuralNetwork
import Support
import Training

extension Model {
    struct Predict: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "predict", abstract: "Print a row of outputs for each row of inputs.",
            discussion:
                "An LSTM that keeps its state goes on from row to row, as it does from window to window; --fresh begins anew with each row."
        )

        @Argument(help: ArgumentHelp("The model.", valueName: "file"), completion: .file())
        var file: String
        @Option(help: ArgumentHelp("Rows of numbers, separated by commas, as `gaitway features` prints them.", valueName: "rows"))
        var input: String
        @Flag(help: "Take and print the quantised integers, as TFLite's interpreter takes and gives them.")
        var raw = false
        @Flag(help: "Forget what LSTM layers remember before each row.")
        var fresh = false
        @OptionGroup var format: OutputOptions

        func run() throws {
            var prediction = try Predictor(try NetworkFile.load(file))
            let rows = try NumberRows.cells(input)
            guard !rows.isEmpty else { throw Fault(.badData, "\(input) has no rows of numbers", remedy: "Is it the file that was meant?") }
            for (line, cells) in rows {
                if fresh { prediction.reset() }
                do throws(Fault) {
                    let row =
                        raw
                        ? try prediction.predict(integers: numbers(cells)).map { "\($0)" }
                        : try prediction.predict(numbers(cells)).map { Decimals.text($0, places: 6) }
                    try Console.print(format.json ? JSON.array(row.map(JSON.number)).text : row.joined(separator: ","))
                } catch {
                    throw Fault(error.code, "\(input):\(line): \(error.message)", remedy: error.remedy)
                }
            }
        }

        private func numbers<Number: LosslessStringConvertible>(_ cells: [Substring]) throws(Fault) -> [Number] {
            var numbers: [Number] = []
            for cell in cells {
                guard let number = Number(String(cell)) else {
                    throw Fault(.badData, "\"\(cell)\" is not \(raw ? "an integer that the input can hold" : "a number")")
                }
                numbers.append(number)
            }
            return numbers
        }
    }
}

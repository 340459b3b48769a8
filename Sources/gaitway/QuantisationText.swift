import Models
import Support
import Training

/// What quantising cost, in words or JSON.
enum QuantisationText {
    static func printSummary(_ result: FloatCalibration, _ format: OutputOptions) throws(Fault) {
        try Console.print(format.json ? summary(result).text : text(result))
    }

    static func share(_ count: Int, of all: Int) -> String { Decimals.text(count * 10_000, over: max(all * 100, 1), places: 2) }

    private static func summary(_ result: FloatCalibration) -> JSON {
        .object([
            ("rows", .integer(result.rows)), ("bits", .integer(result.network.bits)), ("activations", .string(result.network.input.type.rawValue)),
            ("equal", .integer(result.equal)), ("right_in_float", result.rightInFloat.map(JSON.integer) ?? .null),
            ("right_in_fixed", result.rightInFixed.map(JSON.integer) ?? .null),
        ])
    }

    private static func text(_ result: FloatCalibration) -> String {
        var text = "\(result.rows) rows, \(result.network.bits)-bit weights, \(result.network.input.type.rawValue) between the layers: fixed point decides \(share(result.equal, of: result.rows)) % of them as float does"
        if let float = result.rightInFloat, let fixed = result.rightInFixed {
            text += "; right: float \(share(float, of: result.rows)) %, fixed \(share(fixed, of: result.rows)) %"
        }
        return text
    }
}
